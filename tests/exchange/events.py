#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""events.py PROGRAM FOLDER: checks an event file with Google's implementation of Protocol Buffers and TensorBoard's schema.

PROGRAM trains and writes the file into FOLDER. Exits with 77 (skipped) if Protocol Buffers are not installed."""
import pathlib
import shutil
import struct
import subprocess
import sys

try:
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
except ImportError:
    print("skipped: this Python has no protobuf (Debian: python3-protobuf)")
    sys.exit(77)

# (number, name, type) of the fields that scalars need, in tensorflow/core/util/event.proto and framework/summary.proto.
F = descriptor_pb2.FieldDescriptorProto
SCHEMA = {
    "Value": [(1, "tag", F.TYPE_STRING, ""), (2, "simple_value", F.TYPE_FLOAT, "")],
    "Summary": [(1, "value", F.TYPE_MESSAGE, "Value")],
    "Event": [(1, "wall_time", F.TYPE_DOUBLE, ""), (2, "step", F.TYPE_INT64, ""), (3, "file_version", F.TYPE_STRING, ""),
              (5, "summary", F.TYPE_MESSAGE, "Summary")],
}


def event_class():
    file = descriptor_pb2.FileDescriptorProto(name="events.proto", package="tensorflow", syntax="proto3")
    for name, fields in SCHEMA.items():
        message = file.message_type.add(name=name)
        for number, field, kind, of in fields:
            label = F.LABEL_REPEATED if field == "value" else F.LABEL_OPTIONAL
            message.field.add(name=field, number=number, type=kind, label=label, **({"type_name": f".tensorflow.{of}"} if of else {}))
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    found = pool.FindMessageTypeByName("tensorflow.Event")
    newer = getattr(message_factory, "GetMessageClass", None)
    return newer(found) if newer else message_factory.MessageFactory(pool).GetPrototype(found)


def masked_crc32c(data):
    rest = 0xffffffff
    for byte in data:
        rest ^= byte
        for _ in range(8):
            rest = rest >> 1 ^ (0x82f63b78 if rest & 1 else 0)
    rest ^= 0xffffffff
    return ((rest >> 15 | rest << 17) + 0xa282ead8) & 0xffffffff


def records(data):
    at = 0
    while at < len(data):
        size, length_crc = struct.unpack_from("<QI", data, at)
        assert masked_crc32c(data[at:at + 8]) == length_crc, f"the length at byte {at} does not have its checksum"
        record, (crc,) = data[at + 12:at + 12 + size], struct.unpack_from("<I", data, at + 12 + size)
        assert len(record) == size and masked_crc32c(record) == crc, f"the record at byte {at} does not have its checksum"
        yield record
        at += 16 + size


program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
shutil.rmtree(folder, ignore_errors=True)
losses = [float(line) for line in subprocess.run([program, folder], check=True, capture_output=True, text=True).stdout.split()]
(file,) = folder.glob("events.out.tfevents.*")
Event = event_class()
events = [Event.FromString(record) for record in records(file.read_bytes())]
assert events[0].file_version == "brain.Event:2", events[0]
assert [event.step for event in events[1:]] == list(range(1, len(losses) + 1)), "steps are not the iterations"
for event, loss in zip(events[1:], losses):
    scalars = {value.tag: value.simple_value for value in event.summary.value}
    assert scalars.keys() == {"loss", "learning_rate"}, scalars
    assert scalars["loss"] == struct.unpack("<f", struct.pack("<f", loss))[0], (event, loss)
assert len(losses) == 20
print(f"{len(events)} events agree with the training")
