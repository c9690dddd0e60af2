// SPDX-License-Identifier: BSL-1.0
// Stands behind README's program, and uses what that includes and defines: the words that README shows otherwise.

inline void the_sentence() {
    auto [training, testing, whole] = data::mnist();
    Trainer trainer("digits", Digits{}, Adagrad{.learning_rate = 0.02f}, minibatches(training, 100));
    trainer.initialize("*.weights", gaussian(0.1f));
    trainer.add(every(epoch).then(score(testing), report(error, accuracy)), when(error.decreases(5)).then(save),
                when(accuracy.reaches(0.98) || after(20, epoch)).then(stop));
    trainer.run(cpu());
}
