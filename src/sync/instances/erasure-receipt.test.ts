import { compactVerify } from 'jose'
import { describe, expect, it } from 'vitest'
import { openForTests } from '../../../test/harness/for-tests.ts'
import { testKeys } from '../../../test/harness/keys.ts'
import { type ErasureFacts, signErasure } from './erasure-receipt.ts'

const keys = openForTests(testKeys)
const AT = new Date('2026-03-02T12:00:00Z')
const erasure = (more: Partial<ErasureFacts> = {}) =>
  ({
    ...{ id: 'E-1', instanceId: 'I-1', name: 'Test Lender', kind: 'live', requestedAt: new Date('2026-03-01T12:00:00Z') },
    ...{
      deleted: { records: 1_200, users: 3 },
      revocations: 2,
      unrevoked: 1,
      unreached: null,
      completedAt: null,
      receipt: null,
      objectsLeft: 0,
    },
    ...more,
  }) as ErasureFacts

async function sign(more: Partial<ErasureFacts> = {}) {
  const { newest } = keys.signing
  const signed = await signErasure({ signing: keys.signing, baseUrl: 'https://pay.example' }, erasure(more), AT)
  const { payload, protectedHeader } = await compactVerify(signed, newest.publicKey)
  expect(protectedHeader).toEqual({ alg: 'EdDSA', typ: 'countinghouse-erasure+json', kid: newest.id })
  return JSON.parse(Buffer.from(payload).toString())
}
const plain = (text: string) => text.replaceAll(/[\u00a0\u202f]/g, ' ')

describe('the receipt of an erased instance', () => {
  it('is signed, and states who, when, how many rows, and what could not be told', async () => {
    const { statement, ...stated } = await sign()
    expect(stated).toEqual({
      ...{ id: 'E-1', kind: 'instance-erasure', issuedBy: 'https://pay.example', issuedAt: AT.toISOString(), erasedAt: AT.toISOString() },
      ...{ instance: { id: 'I-1', name: 'Test Lender', kind: 'live' }, requestedAt: '2026-03-01T12:00:00.000Z' },
      ...{ deleted: { records: 1_200, users: 3 }, revocations: 2, unrevoked: 1, unreached: [], objectsLeft: 0 },
    })
    expect([statement.en.length, statement['fr-CA'].length]).toEqual([3, 3])
    expect(plain(statement.en[0])).toContain('of the instance “Test Lender” were erased from this deployment: 1,203 rows,')
    expect(plain(statement.en[1])).toContain('at the sources of 2 connections; 1 could not be told within a day')
    expect(plain(statement['fr-CA'][0])).toContain('de l’instance « Test Lender » ont été effacées de ce déploiement : 1 203 lignes,')
    expect(plain(statement['fr-CA'][1])).toContain('auprès des sources de 2 connexions ; 1 n’a pu en être informée en une journée')
  })

  it('counts in both languages as they do', async () => {
    const { statement } = await sign({ deleted: { users: 1 }, revocations: 1, unrevoked: 2 })
    expect(plain(statement.en.join())).toMatch(/: 1 row,.*of 1 connection; 2 could/)
    expect(plain(statement['fr-CA'].join())).toMatch(/: 1 ligne,.*de 1 connexion ; 2 n’ont pu en être informées/)
  })

  it('names the destinations that were not reached, before the backups', async () => {
    const unreached = [{ name: 'Lake', kind: 's3' as const, place: 'https://s3.example/lake', files: 2, rows: false, reason: 'gone' }]
    const { statement, ...stated } = await sign({ unreached })
    expect(stated.unreached).toEqual(unreached)
    expect(statement.en.map((line: string) => /Backups|https:\/\/s3\.example\/lake/.exec(line)?.[0] ?? '')).toEqual([
      ...['', '', 'https://s3.example/lake', 'Backups'],
    ])
    expect(statement['fr-CA'][2]).toContain('« Lake » (https://s3.example/lake)')
  })

  it('claims the answers of sources for erased only where no object is left, and otherwise counts the objects', async () => {
    const none = await sign()
    expect(none.statement.en[0]).toMatch(/with all stored files and answers of sources\.$/)
    const { statement, objectsLeft } = await sign({ objectsLeft: 1_200 })
    expect([objectsLeft, statement.en.length, statement['fr-CA'].length]).toEqual([1_200, 4, 4])
    expect(statement.en[0]).toMatch(/with all stored files and the keys of all answers of sources\.$/)
    expect(plain(statement.en[2])).toMatch(/^1,200 encrypted objects with answers of sources may be left in the object storage/)
    expect(statement['fr-CA'][0]).toMatch(/tous les fichiers et les clés de toutes les réponses des sources/)
    expect(plain(statement['fr-CA'][2])).toMatch(/^Il peut rester 1 200 objets chiffrés avec des réponses des sources/)
  })
})
