"""Phenomenon: random, secrets, uuid, set order by the hash seed, ids of objects, tempfile names.
Nondeterministic: all of it."""
import os
import random
import secrets
import tempfile
import uuid

print(random.random(), random.sample(range(1000), 5), secrets.token_hex(8))
print(uuid.uuid4(), uuid.uuid1())
print({f"word{number}" for number in range(12)})
print(hash("text"), id(object()), os.urandom(4).hex())
with tempfile.TemporaryDirectory() as directory:
    with open(os.path.join(directory, "file"), "w", encoding="ascii") as file:
        file.write(directory)
    print(os.listdir(directory), os.stat(directory).st_ino, directory)
