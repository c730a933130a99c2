import type { Connector } from '../../connectors/contract/contract.ts'
import type { Source } from '../../connectors/sources.ts'
import type { CredentialsContext } from './context.ts'
import type { ConnectionKey, OpenCredentials } from './credentials.ts'
import { openCredentials } from './credentials-open.ts'

/** Credentials of one run: opened at its start, replaced by `renew` when the source rejects them. */
export class RunCredentials {
  readonly #open: (rejected: number | null) => Promise<OpenCredentials>
  #current: OpenCredentials

  private constructor(open: (rejected: number | null) => Promise<OpenCredentials>, current: OpenCredentials) {
    this.#open = open
    this.#current = current
  }

  /** Throws `SourceError`, as `openCredentials`. */
  static async open(deps: CredentialsContext, source: Source, connector: Connector, key: ConnectionKey): Promise<RunCredentials> {
    const open = (rejected: number | null) => openCredentials(deps, source, connector, key, rejected)
    return new RunCredentials(open, await open(null))
  }

  get current(): OpenCredentials {
    return this.#current
  }

  /** Replaces credentials that the source has rejected. Throws `SourceError`, as `openCredentials`. */
  async renew(): Promise<void> {
    this.#current = await this.#open(this.#current.generation)
  }
}
