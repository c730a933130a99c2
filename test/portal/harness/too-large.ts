import { vi } from 'vitest'
import type { Database } from '../../../src/store/db/database.ts'

/** Lets every list that has to be looked through appear to have more rows than may be read. */
export function pretendTooLarge(database: Database): void {
  const query = database.query.bind(database)
  const answer = (...asked: Parameters<typeof query>) => {
    const [text] = asked
    const isCheck = typeof text === 'string' && text.includes('as "isMore"')
    return isCheck ? Promise.resolve({ rows: [{ isMore: true }] }) : query(...asked)
  }
  vi.spyOn(database, 'query').mockImplementation(answer as typeof query)
}
