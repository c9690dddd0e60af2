# SPDX-License-Identifier: BSL-1.0
"""Blocks of the pages for who comes from PyTorch or Keras. Not run: Keras is no package of Debian's."""
import keras
import numpy
import torch
from safetensors.torch import save_file
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def with_torch(inputs, labels, more):
    # [torch]
    model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, 3))
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01, weight_decay=0.01)
    for epoch in range(50):
        model.train()
        for x, y in DataLoader(TensorDataset(inputs, labels), batch_size=16, shuffle=True):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
    model.eval()
    with torch.no_grad():
        classes = model(more).argmax(1)
    torch.save(model.state_dict(), "iris.pt")
    # [torch]
    # [torch-write]
    save_file(model.state_dict(), "small.safetensors")              # from the package safetensors
    numpy.savez("small.npz", **{name: t.numpy() for name, t in model.state_dict().items()})  # or as .npz
    # [torch-write]


def with_keras(x, y, x_test, y_test):
    # [keras]
    model = keras.Sequential([
        keras.Input((28, 28, 1)), keras.layers.Conv2D(16, 3, activation="relu"), keras.layers.MaxPooling2D(2),
        keras.layers.Dropout(0.25), keras.layers.Flatten(), keras.layers.Dense(10, activation="softmax")])
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    model.fit(x, y, batch_size=128, epochs=20, validation_split=0.1)
    print(model.evaluate(x_test, y_test))
    model.save_weights("digits.weights.h5")
    # [keras]
    # [keras-write]
    numpy.savez("small.npz", **{w.path: w.numpy() for w in model.weights})  # Keras 3; w.name of Keras 2
    numpy.savez("small.npz", *model.get_weights())                          # or in the order of layers, without names
    # [keras-write]
