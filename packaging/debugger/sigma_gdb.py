# SPDX-License-Identifier: BSL-1.0
"""Shows Sigma's arrays, shapes, texts, tensors and models in gdb.

    (gdb) source /usr/share/sigma/debugger/sigma_gdb.py
    (gdb) print images
    $1 = Array<float> (100, 784) = {0, 0, 0.5, ...}
    (gdb) print model
    $2 = Model of 2 parameters, 7850 numbers = {["1-dense.weights"] = (784, 10) = {...}, ...}

Write the first line into ~/.gdbinit to have it in each session. `print -r --` shows the members instead.
"""
import gdb
import gdb.printing


def elements_of(vector):
    """Returns the first element's address and the number of elements of a std::vector of libstdc++ or libc++."""
    fields = {field.name for field in vector.type.strip_typedefs().fields()}
    if "__begin_" in fields:
        begin, end = vector["__begin_"], vector["__end_"]
    else:
        begin, end = vector["_M_impl"]["_M_start"], vector["_M_impl"]["_M_finish"]
    return begin, int(end - begin)


def extents_of(vector):
    begin, count = elements_of(vector)
    return [int(begin[i]) for i in range(count)]


def shape_text(extents):
    """Returns (batch, 28, 28) for -1, 28, 28. An extent of -k is k times the number of records."""
    words = [str(n) if n >= 0 else "batch" if n == -1 else f"{-n} * batch" for n in extents]
    return "(" + ", ".join(words) + ("," if len(words) == 1 else "") + ")"


def shape_of(shape):
    return [int(shape["extent"][i]) for i in range(int(shape["rank"]))]


def product(extents):
    count = 1
    for n in extents:
        count *= abs(n)
    return count


def text_of(text):
    return text["data"].string(length=int(text["size"]))


def base_of(value, name):
    """Returns the base class object of value whose template is name, or None. Searches bases of bases."""
    for field in value.type.strip_typedefs().fields():
        if field.is_base_class:
            base = value[field]
            if (field.type.strip_typedefs().tag or "").split("<")[0] == name:
                return base
            found = base_of(base, name)
            if found is not None:
                return found
    return None


def bare(value):
    """Returns the name of the value's type without the namespace."""
    name = value.type.strip_typedefs().unqualified().tag or ""
    return name.replace("sigma::", "", 1)


class Rows:
    """Elements in row-major order, of rows that begin `pitch` elements after each other."""

    def __init__(self, title, extents, data, pitch):
        self.title, self.extents, self.data, self.pitch = title, extents, data, pitch

    def to_string(self):
        return (self.title + " " if self.title else "") + shape_text(self.extents)

    def children(self):
        columns = self.extents[-1] if self.extents else 1
        for i in range(product(self.extents)):
            at = i // columns * self.pitch + i % columns
            yield f"[{i}]", self.data[at]

    def display_hint(self):
        return "array"


def array(value):
    begin, _ = elements_of(value["elements_"])
    extents = extents_of(value["shape_"])
    return Rows(bare(value), extents, begin, extents[-1] if extents else 1)


def array_view(value):
    return Rows(bare(value), extents_of(value["shape_"]), value["data_"], int(value["row_"]))


class ShapePrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        return "Shape " + shape_text(shape_of(self.value))


class TextPrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        return text_of(self.value)

    def display_hint(self):
        return "string"


class TensorPrinter:
    """The operation that computes a tensor, its shape, and its position on the tape. A tensor has no elements."""

    def __init__(self, value):
        self.variable = value["variable"] if bare(value) == "Tensor" else value
        self.title = bare(value)

    def to_string(self):
        tape, position = self.variable["tape"], int(self.variable["id"])
        if int(tape) == 0 or position < 0:
            return f"{self.title} of no tape"
        nodes = tape.dereference()["nodes_"]
        if position >= int(nodes["size_"]):
            return f"{self.title} at {position}, past the end of its tape"
        node = nodes["data_"][position]
        operation = str(node["operation"]).rsplit("::", 1)[-1]
        return f"{self.title} {shape_text(shape_of(node['shape']))}: {operation}, node {position}"


class ModelPrinter:
    """The parameters of a model by their names. Values are those in the memory of the processor."""

    def __init__(self, value):
        self.value = value
        self.store = base_of(value, "sigma::detail::ModelStore")

    def parameters(self):
        table = self.store["network_"].dereference()["parameters"]
        return [table["data"][i] for i in range(int(table["count"]))]

    def to_string(self):
        records = self.parameters()
        numbers = sum(product(shape_of(record["shape"])) for record in records)
        where = ", on an accelerator" if bool(self.store["memory_"]["active_"]) else ""
        return f"Model of {len(records)} parameter{'' if len(records) == 1 else 's'}, {numbers} numbers{where}"

    def children(self):
        memory, lanes = self.store["memory_"], int(self.store["lanes_"])
        offsets, _ = elements_of(memory["offsets_"])
        data = memory["host_"]["data_"]["object_"]
        for i, record in enumerate(self.parameters()):
            extents = shape_of(record["shape"])
            yield f'["{text_of(record["name"])}"]', dense(extents, data + int(offsets[i]), row_pitch(extents, lanes))


def row_pitch(extents, lanes):
    """Returns the number of elements from one row of a parameter to the next, as row_pitch of plan/plan.hpp."""
    columns = extents[-1] if extents else 1
    if columns <= 1:
        return 1
    whole = (columns + lanes - 1) // lanes * lanes
    return whole + 16 if whole % 512 == 0 else whole


def dense(extents, data, pitch):
    """Returns an array of arrays without the padding of rows. Of more than 1 MiB: the shape and the place of the elements."""
    element = data.type.target().strip_typedefs()
    columns = extents[-1] if extents else 1
    rows = product(extents) // columns if columns else 0
    if rows == 0 or rows * columns * element.sizeof > 1 << 20:
        return f"{shape_text(extents)} at {data}, rows begin {pitch} elements after each other"
    memory = gdb.selected_inferior()
    held = b"".join(bytes(memory.read_memory(int(data + r * pitch), columns * element.sizeof)) for r in range(rows))
    if not extents:
        return gdb.Value(held, element)
    kind = element
    for n in reversed(extents):
        kind = kind.array(n - 1)
    return gdb.Value(held, kind)


def printer():
    found = gdb.printing.RegexpCollectionPrettyPrinter("sigma")
    found.add_printer("Array", r"^sigma::Array<.*>$", array)
    found.add_printer("ArrayView", r"^sigma::ArrayView<.*>$", array_view)
    found.add_printer("Shape", r"^sigma::Shape$", ShapePrinter)
    found.add_printer("Text", r"^sigma::(detail::)?Text$", TextPrinter)
    found.add_printer("Tensor", r"^sigma::Tensor$", TensorPrinter)
    found.add_printer("Variable", r"^sigma::Variable$", TensorPrinter)
    found.add_printer("Model", r"^sigma::Model(\[abi:\w+\])?<.*>$", ModelPrinter)
    return found


gdb.printing.register_pretty_printer(gdb.current_objfile(), printer(), replace=True)
