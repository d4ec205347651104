# A simple Python script for comparison: json, a thread pool and http.client, all from the standard library.
# Usage: python3 bench/seed-plain.py FILE URL.
import http.client
import json
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from urllib.parse import urlsplit

BATCH = 100
CONNECTIONS = 16
REQUIRED = {"attribute_name", "calculation_type", "cutoff_date", "seed"}

path, address = sys.argv[1:3]
host = urlsplit(address).netloc
local = threading.local()
room = threading.Semaphore(CONNECTIONS * 2)


def check(line):
    user = json.loads(line)
    if user["environment"] not in ("production", "development"):
        raise ValueError(line)
    for attributes in user["calculated_attributes"].values():
        for attribute in attributes:
            if not REQUIRED <= attribute.keys():
                raise ValueError(line)


def send(body):
    try:
        if not hasattr(local, "connection"):
            local.connection = http.client.HTTPConnection(host)
        headers = {"content-type": "application/json", "authorization": "Basic azpz"}
        local.connection.request("POST", "/v2/bulkcalculatedattributes", body, headers)
        answer = local.connection.getresponse()
        answer.read()
        if answer.status != 202:
            raise RuntimeError(answer.status)
    finally:
        room.release()


with open(path, "rb") as lines, ThreadPoolExecutor(CONNECTIONS) as pool:
    sent = []
    while rows := [line.rstrip() for line in islice(lines, BATCH)]:
        for row in rows:
            check(row)
        room.acquire()
        sent.append(pool.submit(send, b"[" + b",".join(rows) + b"]"))
for future in sent:
    future.result()
