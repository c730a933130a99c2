import type { Kit } from '../../src/connectors/contract/contract.ts'
import { createKit } from '../../src/connectors/toolkit/http/kit.ts'
import { createEgress } from '../../src/egress/egress.ts'

export interface LoopbackKit {
  kit: Kit
  close(): Promise<void>
}

/** The product's own kit, allowed to call this machine; the clock stands still. */
export function openLoopbackKit(): LoopbackKit {
  const egress = createEgress({ allowPrivate: true })
  const now = new Date('2026-11-20T12:00:00Z')
  return { kit: createKit({ egress, app: {}, hosts: {}, now: () => now, allowPrivate: true }), close: () => egress.close() }
}
