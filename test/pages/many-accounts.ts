import { ScriptedSource } from '../sync/scripted-source.ts'

/** A source with 25 accounts on three pages, the same in every process. */
export function manyAccounts(key = 'books'): ScriptedSource {
  const books = new ScriptedSource(key)
  books.accounts = Array.from({ length: 25 }, (_, i) => ({ id: String(1_000 + i), name: `Account ${i}` }))
  books.pageSize = 10
  return books
}
