import type { SourceItem } from '../../src/connectors/contract/contract.ts'
import { FileThreads } from '../../src/connectors/toolkit/uploads/file-threads.ts'

/** Threads that find these records in any page. */
export class ReaderThreads extends FileThreads {
  readonly #items: SourceItem[]

  constructor(items: SourceItem[]) {
    super()
    this.#items = items
  }

  override async *read(): AsyncGenerator<SourceItem[], void> {
    yield this.#items
  }
}
