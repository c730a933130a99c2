import { createHash } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { type Connector, type Session, SourceError } from '../../src/connectors/contract/contract.ts'
import type { SyncDeps } from '../../src/sync/context/deps.ts'
import { hookSecretsOf, keepSubscribed, webhookUrlOf } from '../../src/sync/provider-webhooks/subscribe.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openSyncHarness } from '../sync/harness.ts'
import { ScriptedSource } from '../sync/scripted-source.ts'

describe('the address for webhooks of a source', () => {
  const hidden: string[] = []
  const hash = (key: string) => (text: string) => createHash('sha256').update(`${key}/${text}`).digest()
  const hashToken = Object.assign(hash('new'), { all: (text: string) => [hash('new')(text), hash('old')(text)] })
  const tokens = { hashToken, hide: (value: string) => void hidden.push(value) }
  const { description } = new ScriptedSource('books')
  const at = (isUnsigned: boolean, instanceId?: string) =>
    webhookUrlOf(tokens, 'https://pay.example', { ...description, ...(isUnsigned ? { unsignedWebhooks: true } : {}) }, instanceId)

  it('is that of the source, or of an instance', () => {
    expect([at(false), at(false, 'i-1')]).toEqual(['https://pay.example/hooks/books', 'https://pay.example/hooks/books/instances/i-1'])
    expect(hidden).toEqual([])
  })

  it('ends with a secret where the source does not sign, another one for each source and instance', () => {
    const secretOf = (text: string, key = 'new') => hash(key)(`hook/${text}`).toString('base64url')
    expect([at(true), at(true, 'i-1')]).toEqual([
      ...[`https://pay.example/hooks/books/${secretOf('books')}`, `https://pay.example/hooks/books/instances/i-1/${secretOf('books/i-1')}`],
    ])
    expect(hookSecretsOf(tokens, 'books', 'i-1')).toEqual([secretOf('books/i-1'), secretOf('books/i-1', 'old')])
    expect(hidden).toContain(secretOf('books', 'old'))
  })
})

/** A source that each connection has to be subscribed to. */
class SubscribedSource extends ScriptedSource {
  asked: [Session['credentials'], string, string][] = []
  fault: Error | null = null

  override get connector(): Connector {
    return {
      ...super.connector,
      subscribe: async (session, url) => {
        this.asked.push([session.credentials, session.entityId, url])
        if (this.fault) throw this.fault
      },
    }
  }
}

describe('a connection', () => {
  const [books, plain] = [new SubscribedSource('books'), new ScriptedSource('plain')]
  const harness = openForTests(async () => {
    const opened = await openSyncHarness([books, plain])
    return { ...opened, booksId: await opened.connect(books), plainId: await opened.connect(plain) }
  })
  const warned: unknown[] = []
  const subscribe = async (connectionId = harness.booksId, more: Partial<SyncDeps> = {}) => {
    const { deps, instanceId } = harness
    const log = { ...deps.log, warn: (fields: object, message: string) => void warned.push([fields, message]) }
    await keepSubscribed({ ...deps, log, baseUrl: 'https://pay.example', ...more }, { instanceId, connectionId })
  }
  beforeEach(() => {
    Object.assign(books, { asked: [], fault: null })
    warned.length = 0
  })

  it('is subscribed with its credentials, for its books, at our address', async () => {
    await subscribe()
    expect(books.asked).toEqual([[books.credentials(), 'books-1', 'https://pay.example/hooks/books']])
  })

  it('is not at an address without https, nor at a source that needs no subscription, nor when it is gone', async () => {
    await subscribe(harness.booksId, { baseUrl: 'http://127.0.0.1:8480' })
    await subscribe(harness.plainId)
    await subscribe('00000000-0000-4000-8000-000000000000')
    await harness.deps.database.query('update connections set entity_id = null where id = $1', [harness.booksId])
    await subscribe()
    await harness.deps.database.query(`update connections set entity_id = 'books-1' where id = $1`, [harness.booksId])
    expect([books.asked, warned]).toEqual([[], []])
  })

  it('goes on without a subscription that the source refuses, but not over a fault of ours', async () => {
    books.fault = new SourceError('unavailable', 'no')
    await subscribe()
    expect(warned).toEqual([[{ err: books.fault, connectionId: harness.booksId }, 'the source would not subscribe us']])
    books.fault = new Error('a fault of ours')
    await expect(subscribe()).rejects.toThrow('a fault of ours')
  })
})
