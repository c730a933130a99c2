"""Runs scim2-tester against the SCIM address and key given as arguments; prints each check as a line of JSON."""
import json
import sys

from httpx2 import Client
from scim2_client.engines.httpx2 import SyncSCIMClient
from scim2_tester import check_server

address, key = sys.argv[1:]
http = Client(base_url=address, headers={"Authorization": f"Bearer {key}"}, timeout=30)
for result in check_server(SyncSCIMClient(http)):
    line = {"status": result.status.name, "title": result.title, "reason": result.reason, "resource": str(result.resource_type or "")}
    print(json.dumps(line))
