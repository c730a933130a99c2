import type { IncomingMessage } from 'node:http'
import { expect, vi } from 'vitest'
import type { Database } from '../../src/store/db/database.ts'

/** Runs `work` before the piece of this number is read; counts the pieces. */
export function beforePiece(database: Database, number: number, work: () => Promise<unknown>): { read: number } {
  const query = database.query.bind(database) as (...given: unknown[]) => Promise<unknown>
  const pieces = { read: 0 }
  vi.spyOn(database, 'query').mockImplementation((async (...given: unknown[]) => {
    const [statement] = given as [{ text?: string }]
    if (statement.text?.startsWith('with seen')) {
      pieces.read += 1
      if (pieces.read === number) await work()
    }
    return await query(...given)
  }) as typeof database.query)
  return pieces
}

/** What came of an answer, and whether its end did. */
export async function readStream(response: IncomingMessage): Promise<{ lines: string[]; isWhole: boolean }> {
  let text = ''
  try {
    for await (const chunk of response.setEncoding('utf8')) text += chunk
  } catch (error) {
    expect((error as Error).message).toBe('aborted')
  }
  return { lines: text.split('\n').slice(0, -1), isWhole: response.complete }
}
