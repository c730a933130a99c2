import type { Connector } from '../../src/connectors/contract/contract.ts'
import { type Mapping, mapping } from '../../src/connectors/contract/mapping.ts'
import type { AccountingAccount } from '../../src/model/records/accounting-account.ts'
import { ScriptedSource } from '../sync/scripted-source.ts'

/** The record that the mapping reads from the scripted source. */
export interface ScriptedWire {
  id: string
  name: string
  balance?: string
}

/** A scripted source whose mapping a test changes between runs, as a new version of the software would. */
export class ChangingSource extends ScriptedSource {
  version = 1
  changes: Partial<Mapping<ScriptedWire, AccountingAccount>> = {}

  /** Releases a new version of the mapping. */
  release(changes: Partial<Mapping<ScriptedWire, AccountingAccount>>): void {
    this.version += 1
    this.changes = changes
  }

  override get connector(): Connector {
    const scripted = super.connector
    const { wire, map } = scripted.entities.Accounts
    const fields = { ...map.fields, ...this.changes } as Mapping<ScriptedWire, AccountingAccount>
    return { ...scripted, entities: { Accounts: { wire, map: mapping(this.version, fields) } } }
  }
}
