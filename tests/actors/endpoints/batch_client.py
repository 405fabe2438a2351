"""A process that asks a batch endpoint, so that a test can kill it: `python batch_client.py CONFIG STORE TEXT...`, outcomes on stdout."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

from actors.endpoints.batches import BatchedChat
from engine.store.batch_ledger import BatchLedger
from engine.store.opening import open_backend
from engine.writer_config import LanguageModel
from tests.actors.endpoints.asking import asking


def main(config, store, *texts):
    model = BatchedChat(LanguageModel.model_validate_json(config), BatchLedger(open_backend(store)))
    outcomes = model.chat([asking(text) for text in texts])
    model.close()
    spent = model.spent
    print(json.dumps({"texts": [outcome.value.choices[0].text for outcome in outcomes], "calls": spent.calls, "dollars": spent.dollars}))


if __name__ == "__main__":
    main(*sys.argv[1:])
