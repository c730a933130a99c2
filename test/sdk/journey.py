"""The whole journey of a developer, as a stranger would write it. Prints one JSON document a line."""

import asyncio
import json
import os
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from queue import Queue

from countinghouse import AsyncCountinghouse, Countinghouse, Login, WebhookError, WebhookEvent, each_item, each_item_async, each_page, verify_event

BASE_URL = os.environ["BASE_URL"]
LOGIN = Login(os.environ["EMAIL"], os.environ["PASSWORD"])


def say(value: object) -> None:
    print(json.dumps(value), flush=True)


api = Countinghouse(BASE_URL, login=LOGIN)
secret = ""
events: Queue[WebhookEvent] = Queue()


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        try:
            events.put(verify_event(self.headers, self.rfile.read(int(self.headers["Content-Length"])), secret))
            self.send_response(204)
        except WebhookError:
            self.send_response(401)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


server = HTTPServer(("127.0.0.1", 0), Receiver)
threading.Thread(target=server.serve_forever, daemon=True).start()

company = api.create_company({"name": "Boulangerie du Plateau", "country": "CA"})
service = next(service for service in each_item(lambda page: api.list_services(**page)) if service["name"] == "QuickBooks Online")
subscription = api.create_subscription("NormalizedData", {"callbackUrl": f"http://127.0.0.1:{server.server_port}/"})
secret = subscription["secret"]
company_id, service_id = company["id"], service["id"]
say({"link": api.get_connection_link(company_id, service_id)["link"]})

event = events.get(timeout=90)
while event["MessageType"] != "NormalizedData" or event["Data"]["CompanyId"] != company_id:
    event = events.get(timeout=90)
say({"event": event["MessageType"], "signature": "verified"})


async def count() -> None:
    async with AsyncCountinghouse(BASE_URL, login=LOGIN) as reader:
        accounts = [account async for account in each_item_async(lambda page: reader.list_accounting_accounts(company_id, service_id, **page))]
    lines = list(each_item(lambda page: api.list_accounting_transactions(company_id, service_id, **page), page_size=10))
    # Amounts are exact, so that debits and credits are equal to the cent.
    balance = sum((line["debit"] or 0) - (line["credit"] or 0) for line in lines)
    say({"accounts": len(accounts), "transactions": len(lines), "distinct": len({line["id"] for line in lines}), "balance": str(balance)})


asyncio.run(count())
changes = [change for page in each_page(lambda cursor: api.list_changes(cursor=cursor)) for change in page["data"]]
say({"changes": len(changes) > 0})

wanted = api.request_export({"companyId": company_id, "category": "Accounting", "entity": "Transactions", "format": "ndjson"})
while wanted["state"] in ("waiting", "running"):
    time.sleep(0.2)
    wanted = api.get_export(wanted["id"])
exported = list(api.each_export_record(wanted["id"]))
streamed = list(api.each_record("list_accounting_transactions", company_id, service_id))
say({"exported": len(exported), "streamed": len(streamed)})
api.delete_subscription(subscription["id"])
server.shutdown()
