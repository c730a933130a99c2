import { isMainThread, threadId } from 'node:worker_threads'
import { type FileReader, InputRefused } from '../../src/connectors/contract/authorization.ts'
import { type Answers, SourceError } from '../../src/connectors/contract/contract.ts'

/** Behaves as the first word of a file says, so that a test can check the limits. */
export const reader: FileReader = {
  examine: (bytes) => {
    const word = wordOf(bytes)
    if (word === 'endless') for (;;);
    if (word === 'greedy') for (const kept: unknown[] = []; ; ) kept.push(new Array(10_000).fill(kept.length))
    if (word === 'refused') throw new InputRefused({ en: 'No.', 'fr-CA': 'Non.' }, 'files')
    if (word === 'failing') throw new TypeError('quotes 4500123412341111')
    const where = JSON.stringify({ isMainThread, threadId, settings: Object.keys(process.env).length })
    return {
      grant: { credentials: { secret: null, expiresAt: null }, entity: { id: 'x', name: 'X' } },
      leftOut: [{ en: where, 'fr-CA': where }],
    }
  },
  *read({ file = new Uint8Array() }: Answers) {
    const word = wordOf(file)
    if (word === 'where') {
      yield { entity: 'Transactions', origId: String(threadId), removed: true }
      return
    }
    for (let index = 0; index < 1_200; index += 1) {
      if (index === 700 && word === 'endless') for (;;);
      if (index === 700 && word === 'broken') throw new SourceError('badData', 'Line 700.')
      yield { entity: 'Transactions', origId: String(index), removed: true }
    }
  },
}

function wordOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes.subarray(0, 20)).split(' ')[0] ?? ''
}
