import type { Edits, Row } from './data/edited-list.ts'
import type { Code, Grant } from './oauth/grants.ts'
import { StateStore } from './state.ts'

interface State<Item> {
  /** How far the clock was moved forward. */
  clockMs: number
  codes: Record<string, Code>
  grants: Record<string, Grant>
  /** By business and list, e.g. `<id>/accounts`. */
  edits: Record<string, Edits<Item>>
}

/** State of a simulator whose lists are edited and whose tokens a restart must not forget. `own` is what only this source has. */
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
