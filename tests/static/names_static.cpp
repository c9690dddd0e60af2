// SPDX-License-Identifier: BSL-1.0
// Names that programs commonly have, of their own, beside `using namespace sigma;` as README writes it. What is missing
// here is a word of users: Batch, Shape, Text, error, epoch (tests/names/names.txt lists all).
#include <sigma/data/data.hpp>
#include <sigma/sigma.hpp>

// clang-format off
namespace program_types {  // what they are made from
template <class...>
struct All;
}  // namespace program_types

struct Step {}; struct Record {}; struct Node {}; struct Point {}; struct Token {}; struct Graph {}; struct Plan {};
struct Event {}; struct Log {}; struct Matrix {}; struct Config {}; struct Vector {}; struct List {}; struct Tree
{}; struct Edge {}; struct Path {}; struct Point2D {}; struct Rect {}; struct Color {}; struct Image {}; struct
Frame {}; struct Buffer {}; struct Stream {}; struct Reader {}; struct Writer {}; struct Parser {}; struct Lexer {};
struct Table {}; struct Row {}; struct Column {}; struct Value {}; struct Key {}; struct Entry {}; struct Item {};
struct Element {}; struct Index {}; struct Range {}; struct Span {}; struct Slice {}; struct View {}; struct
Iterator {}; struct Cursor {}; struct Position {}; struct Size {}; struct Count {}; struct Kind {}; struct Type {};
struct Status {}; struct State {}; struct Mode {}; struct Flag {}; struct Option {}; struct Options {}; struct
Settings {}; struct Parameter {}; struct Parameters {}; struct Argument {}; struct Result {}; struct Message {};
struct Request {}; struct Response {}; struct Session {}; struct Connection {}; struct Client {}; struct Server {};
struct Socket {}; struct Channel {}; struct Queue {}; struct Stack {}; struct Pool {}; struct Arena {}; struct
Allocator {}; struct Handle {}; struct Resource {}; struct Driver {}; struct Controller {}; struct Command {};
struct Handler {}; struct Listener {}; struct Observer {}; struct Callback {}; struct Function {}; struct Method {};
struct Operation {}; struct Instruction {}; struct Program {}; struct Kernel {}; struct Executor {}; struct Engine
{}; struct Worker {}; struct Job {}; struct Thread {}; struct Scheduler {}; struct Schedule {}; struct Timer {};
struct Clock {}; struct Stopwatch {}; struct Rate {}; struct Progress {}; struct Report {}; struct Summary {};
struct Score {}; struct Metric {}; struct Statistics {}; struct Sample {}; struct Data {}; struct Source {}; struct
Sink {}; struct Filter {}; struct Pipeline {}; struct Stage {}; struct Inputs {}; struct Output {}; struct
Activation {}; struct Optimizer {}; struct Scope {}; struct Environment {}; struct Workspace {}; struct Module {};
struct Component {}; struct Entity {}; struct Object {}; struct World {}; struct Scene {}; struct Camera {}; struct
Player {}; struct Game {}; struct Rotation {}; struct Scale {}; struct Transform {}; struct Convolution {}; struct
Padding {}; struct Sequence {}; struct Series {}; struct Loop {}; struct Repeat {}; struct Constant {}; struct
Expression {}; struct Statement {}; struct Lambda {}; struct Integer {}; struct Number {}; struct Named {}; struct
Shared {}; struct Tagged {}; struct Snapshot {}; struct Selection {}; struct Criterion {}; struct Evaluator {};
struct Evaluate {}; struct Random {}; struct Keep {}; struct Site {}; struct Cosine {}; struct Debug {}; struct Cpu
{}; struct Wants {}; struct Truth {}; struct Latest {}; struct Compute {}; struct Remember {}; struct Fixed {};
struct Wrapper {}; struct Loops {}; struct Views {}; struct Clip {}; struct Mesh {}; struct Sensor {}; struct Signal
{}; struct Order {}; struct Trade {}; struct Price {}; struct Account {}; struct User {}; struct Label {}; struct
Weights {}; struct Layout {}; struct Memory {}; struct Latency {}; struct Rule {}; struct Pattern {}; struct Match
{}; struct Group {}; struct Grouped {};

struct Own {};
constexpr int size(Own) { return 1; } constexpr int file(Own) { return 1; } constexpr int set(Own) { return 1; }
constexpr int text(Own) { return 1; } constexpr int name(Own) { return 1; } constexpr int step(Own) { return 1; }
constexpr int layer(Own) { return 1; } constexpr int at(Own) { return 1; } constexpr int on(Own) { return 1; }
constexpr int every(Own) { return 1; } constexpr int when(Own) { return 1; } constexpr int after(Own) { return 1; }
constexpr int load(Own) { return 1; } constexpr int report(Own) { return 1; } constexpr int score(Own) { return 1; }
constexpr int sum(Own) { return 1; } constexpr int mean(Own) { return 1; } constexpr int max(Own) { return 1; }
constexpr int min(Own) { return 1; } constexpr int abs(Own) { return 1; } constexpr int sin(Own) { return 1; }
constexpr int cos(Own) { return 1; } constexpr int tan(Own) { return 1; } constexpr int exp(Own) { return 1; }
constexpr int log(Own) { return 1; } constexpr int pow(Own) { return 1; } constexpr int sqrt(Own) { return 1; }
constexpr int floor(Own) { return 1; } constexpr int round(Own) { return 1; } constexpr int copy(Own) { return 1; }
constexpr int sort(Own) { return 1; } constexpr int slice(Own) { return 1; } constexpr int split(Own) { return 1; }
constexpr int take(Own) { return 1; } constexpr int shuffle(Own) { return 1; } constexpr int shuffled(Own) { return
1; } constexpr int sample(Own) { return 1; } constexpr int scale(Own) { return 1; } constexpr int clip(Own) { return
1; } constexpr int norm(Own) { return 1; } constexpr int dot(Own) { return 1; } constexpr int transpose(Own) {
return 1; } constexpr int reshape(Own) { return 1; } constexpr int flatten(Own) { return 1; } constexpr int
concatenate(Own) { return 1; } constexpr int average(Own) { return 1; } constexpr int variance(Own) { return 1; }
constexpr int deviation(Own) { return 1; } constexpr int group(Own) { return 1; } constexpr int gather(Own) { return
1; } constexpr int reduce(Own) { return 1; } constexpr int stack(Own) { return 1; } constexpr int product(Own) {
return 1; } constexpr int broadcast(Own) { return 1; } constexpr int expand(Own) { return 1; } constexpr int
last(Own) { return 1; } constexpr int level(Own) { return 1; } constexpr int use(Own) { return 1; } constexpr int
pass(Own) { return 1; } constexpr int set_value(Own) { return 1; } constexpr int multiply(Own) { return 1; }
constexpr int equal(Own) { return 1; } constexpr int less(Own) { return 1; } constexpr int where(Own) { return 1; }
constexpr int update(Own) { return 1; } constexpr int updates(Own) { return 1; } constexpr int parameter(Own) {
return 1; } constexpr int parameters(Own) { return 1; } constexpr int inputs(Own) { return 1; } constexpr int
outputs(Own) { return 1; } constexpr int layers(Own) { return 1; } constexpr int costs(Own) { return 1; } constexpr
int gradient(Own) { return 1; } constexpr int gradients(Own) { return 1; } constexpr int evaluate(Own) { return 1; }
constexpr int schedule(Own) { return 1; } constexpr int constant(Own) { return 1; } constexpr int uniform(Own) {
return 1; } constexpr int gaussian(Own) { return 1; } constexpr int identity(Own) { return 1; } constexpr int
linear(Own) { return 1; } constexpr int exponential(Own) { return 1; } constexpr int cosine(Own) { return 1; }
constexpr int window(Own) { return 1; } constexpr int matches(Own) { return 1; } constexpr int resolve(Own) { return
1; } constexpr int times(Own) { return 1; } constexpr int lower(Own) { return 1; } constexpr int fuse(Own) { return
1; } constexpr int allocate(Own) { return 1; } constexpr int facts(Own) { return 1; } constexpr int adjoint(Own) {
return 1; } constexpr int moves(Own) { return 1; } constexpr int rows_of(Own) { return 1; } constexpr int
name_of(Own) { return 1; } constexpr int size_of(Own) { return 1; } constexpr int round_up(Own) { return 1; }
constexpr int compute(Own) { return 1; } constexpr int fit(Own) { return 1; } constexpr int generate(Own) { return
1; } constexpr int remember(Own) { return 1; } constexpr int recall(Own) { return 1; } constexpr int restore(Own) {
return 1; } constexpr int freeze(Own) { return 1; } constexpr int modify(Own) { return 1; } constexpr int
latest(Own) { return 1; } constexpr int csv(Own) { return 1; } constexpr int tasks(Own) { return 1; } constexpr int
debug(Own) { return 1; } constexpr int cpu(Own) { return 1; } constexpr int filled(Own) { return 1; } constexpr int
joined(Own) { return 1; } constexpr int sentence(Own) { return 1; } constexpr int custom(Own) { return 1; }
constexpr int turned(Own) { return 1; } constexpr int statistic(Own) { return 1; } constexpr int carry(Own) { return
1; } constexpr int advance(Own) { return 1; } constexpr int square(Own) { return 1; } constexpr int smallest(Own) {
return 1; } constexpr int largest(Own) { return 1; } constexpr int summary(Own) { return 1; } constexpr int lu(Own)
{ return 1; } constexpr int solve(Own) { return 1; } constexpr int scan(Own) { return 1; }

// Where functions of the library have no such name, variables and types may have it.
namespace of_the_program {
struct size {}; struct text {}; struct name {}; struct step {}; struct load {}; struct copy {}; struct shuffle {};
struct sample {}; struct reduce {}; struct stack {}; struct product {}; struct broadcast {}; struct expand {};
struct set_value {}; struct inputs {}; struct outputs {}; struct layers {}; struct costs {}; struct evaluate {};
struct matches {}; struct resolve {}; struct times {}; struct lower {}; struct fuse {}; struct allocate {}; struct
facts {}; struct adjoint {}; struct moves {}; struct rows_of {}; struct name_of {}; struct size_of {}; struct
round_up {}; struct generate {}; struct tasks {}; struct turned {}; struct advance {}; struct lu {};
}  // namespace of_the_program

using namespace sigma;

using Types_ = program_types::All<
    Step, Record, Node, Point, Token, Graph, Plan, Event, Log, Matrix, Config, Vector, List, Tree, Edge, Path,
    Point2D, Rect, Color, Image, Frame, Buffer, Stream, Reader, Writer, Parser, Lexer, Table, Row, Column, Value,
    Key, Entry, Item, Element, Index, Range, Span, Slice, View, Iterator, Cursor, Position, Size, Count, Kind, Type,
    Status, State, Mode, Flag, Option, Options, Settings, Parameter, Parameters, Argument, Result, Message, Request,
    Response, Session, Connection, Client, Server, Socket, Channel, Queue, Stack, Pool, Arena, Allocator, Handle,
    Resource, Driver, Controller, Command, Handler, Listener, Observer, Callback, Function, Method, Operation,
    Instruction, Program, Kernel, Executor, Engine, Worker, Job, Thread, Scheduler, Schedule, Timer, Clock,
    Stopwatch, Rate, Progress, Report, Summary, Score, Metric, Statistics, Sample, Data, Source, Sink, Filter,
    Pipeline, Stage, Inputs, Output, Activation, Optimizer, Scope, Environment, Workspace, Module, Component,
    Entity, Object, World, Scene, Camera, Player, Game, Rotation, Scale, Transform, Convolution, Padding, Sequence,
    Series, Loop, Repeat, Constant, Expression, Statement, Lambda, Integer, Number, Named, Shared, Tagged, Snapshot,
    Selection, Criterion, Evaluator, Evaluate, Random, Keep, Site, Cosine, Debug, Cpu, Wants, Truth, Latest,
    Compute, Remember, Fixed, Wrapper, Loops, Views, Clip, Mesh, Sensor, Signal, Order, Trade, Price, Account, User,
    Label, Weights, Layout, Memory, Latency, Rule, Pattern, Match, Group, Grouped>;
static_assert(
    size(Own{}) + file(Own{}) + set(Own{}) + text(Own{}) + name(Own{}) + step(Own{}) + layer(Own{}) + at(Own{}) +
    on(Own{}) + every(Own{}) + when(Own{}) + after(Own{}) + load(Own{}) + report(Own{}) + score(Own{}) + sum(Own{})
    + mean(Own{}) + max(Own{}) + min(Own{}) + abs(Own{}) + sin(Own{}) + cos(Own{}) + tan(Own{}) + exp(Own{}) +
    log(Own{}) + pow(Own{}) + sqrt(Own{}) + floor(Own{}) + round(Own{}) + copy(Own{}) + sort(Own{}) + slice(Own{}) +
    split(Own{}) + take(Own{}) + shuffle(Own{}) + shuffled(Own{}) + sample(Own{}) + scale(Own{}) + clip(Own{}) +
    norm(Own{}) + dot(Own{}) + transpose(Own{}) + reshape(Own{}) + flatten(Own{}) + concatenate(Own{}) +
    average(Own{}) + variance(Own{}) + deviation(Own{}) + group(Own{}) + gather(Own{}) + reduce(Own{}) +
    stack(Own{}) + product(Own{}) + broadcast(Own{}) + expand(Own{}) + last(Own{}) + level(Own{}) + use(Own{}) +
    pass(Own{}) + set_value(Own{}) + multiply(Own{}) + equal(Own{}) + less(Own{}) + where(Own{}) + update(Own{}) +
    updates(Own{}) + parameter(Own{}) + parameters(Own{}) + inputs(Own{}) + outputs(Own{}) + layers(Own{}) +
    costs(Own{}) + gradient(Own{}) + gradients(Own{}) + evaluate(Own{}) + schedule(Own{}) + constant(Own{}) +
    uniform(Own{}) + gaussian(Own{}) + identity(Own{}) + linear(Own{}) + exponential(Own{}) + cosine(Own{}) +
    window(Own{}) + matches(Own{}) + resolve(Own{}) + times(Own{}) + lower(Own{}) + fuse(Own{}) + allocate(Own{}) +
    facts(Own{}) + adjoint(Own{}) + moves(Own{}) + rows_of(Own{}) + name_of(Own{}) + size_of(Own{}) +
    round_up(Own{}) + compute(Own{}) + fit(Own{}) + generate(Own{}) + remember(Own{}) + recall(Own{}) +
    restore(Own{}) + freeze(Own{}) + modify(Own{}) + latest(Own{}) + csv(Own{}) + tasks(Own{}) + debug(Own{}) +
    cpu(Own{}) + filled(Own{}) + joined(Own{}) + sentence(Own{}) + custom(Own{}) + turned(Own{}) + statistic(Own{})
    + carry(Own{}) + advance(Own{}) + square(Own{}) + smallest(Own{}) + largest(Own{}) + summary(Own{}) + lu(Own{})
    + solve(Own{}) + scan(Own{}) == 125);
// clang-format on

struct Digits : Network<Input(28, 28) + Dropout(0.2f) + 2 * Dense(128, relu) + Dense(10) + SoftmaxCE()> {};

void program(const Dataset& training, const Dataset& testing) {
    Trainer trainer("digits", Digits{}, Adagrad{.learning_rate = 0.02f}, minibatches(training, 100));
    trainer.add(every(1, epoch).then(score(testing), report(epoch, error, accuracy)),
                when(accuracy.improves()).then(save("best.sigma")),
                when(accuracy.reaches(0.98) || after(20, epoch)).then(stop));
    trainer.run(cpu({.threads = 2}));
}
