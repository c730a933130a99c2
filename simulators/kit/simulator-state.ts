import type { Edits, Row } from './data/edited-list.ts'
import type { Code, Grant } from './oauth/grants.ts'
import { StateStore } from './state.ts'

interface State<Item> {
  /** Offset of the simulator's clock. */
  clockMs: number
  codes: Record<string, Code>
  grants: Record<string, Grant>
  /** Edits by business and list, e.g. `<id>/accounts`. */
  edits: Record<string, Edits<Item>>
}

/** State of a simulator with edited lists and persistent tokens. `own` is source-specific. */
export class SimulatorState<Item extends object = Row, Own extends object = object> extends StateStore<State<Item> & Own> {
  constructor(file: string | undefined, own: Own) {
    super(file, { clockMs: 0, codes: {}, grants: {}, edits: {}, ...own })
  }

  editsOf(list: string): Edits<Item> {
    const edits = this.data.edits[list] ?? { kept: {}, removed: [] }
    this.data.edits[list] = edits
    return edits
  }
}
