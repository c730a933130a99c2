import { describe, expect, it } from 'vitest'
import { bytesOf, examine, fixture, readItemsOf, upload } from '../../../src/connectors/bank-files/fixtures/upload.ts'
import { SourceError } from '../../../src/connectors/contract/contract.ts'
import { refusalOf } from '../../harness/connector-calls.ts'

function textOf(name: string): string {
  return new TextDecoder().decode(fixture(name))
}

const refusal = async (bytes: Uint8Array) => (await refusalOf(examine(bytes))).text

describe('a second upload', () => {
  it.each(['card.qfx', 'loan.ofx', 'loan.bai2', 'statement.camt053.xml', 'chain.mt940'])('of %s yields the same ids', (name) => {
    expect(readItemsOf(fixture(name)).map((item) => item.origId)).toEqual(readItemsOf(fixture(name)).map((item) => item.origId))
  })

  it('distinguishes equal transactions by a count, and finds both again in an overlapping statement', () => {
    const first = upload(fixture('loan.bai2')).transactions.filter(({ category }) => category === '475')
    const lone = textOf('loan.bai2')
      .replace(/^16,722.*\n16,760.*\n/m, '')
      .replace('49,23145432,5', '49,21745432,3')
    const second = upload(bytesOf(lone.replace('98,30582499,3,13', '98,29182499,3,11').replace('99,30582499,1,15', '99,29182499,1,13')))
    expect(first.map(({ origId }) => origId)).toEqual(second.transactions.map(({ origId }) => origId))
    expect(new Set(first.map(({ origId }) => origId)).size).toBe(2)
  })

  it('of an older statement carries an older version than a newer one', () => {
    const older = upload(bytesOf(textOf('card.qfx').replaceAll('20260304120000', '20260204120000'))).versions[0] ?? ''
    const newer = upload(fixture('card.qfx')).versions[0] ?? ''
    expect(older < newer).toBe(true)
  })

  it('finds an account again if only its name or balance changed', () => {
    const changed = textOf('statement.camt053.xml').replace('Operating account', 'Main')
    expect(upload(bytesOf(changed)).accounts[0]?.origId).toBe(upload(fixture('statement.camt053.xml')).accounts[0]?.origId)
  })

  it('distinguishes a reused FITID with another amount', () => {
    const reused = textOf('card.qfx').replace('<FITID>V-2', '<FITID>V-1')
    const ids = upload(bytesOf(reused)).transactions.map(({ origId }) => origId)
    expect(new Set(ids).size).toBe(ids.length)
  })
})

describe('corrections and account data', () => {
  it('a replaced OFX transaction is removed and its replacement kept', () => {
    const { removed, transactions } = upload(fixture('card.qfx'))
    const original = textOf('card.qfx').replace('<FITID>V-1', '<FITID>V-0')
    expect(removed).toEqual([upload(bytesOf(original)).transactions[0]?.origId])
    expect(transactions.at(-1)?.amount).toBe('45.1')
  })

  it('a deleted OFX transaction is removed and not kept', () => {
    const { removed, transactions } = upload(bytesOf(textOf('card.qfx').replace('>REPLACE', '>DELETE')))
    expect([removed.length, transactions.length]).toEqual([1, 2])
  })

  it('account data without a statement never take precedence over a statement', () => {
    const onlyData = textOf('loan.ofx').replace(/<BANKMSGSRSV1>[\s\S]*<\/LOANMSGSRSV1>/, '')
    expect(upload(bytesOf(onlyData)).versions).toEqual(['0000-01-01T00:00:00.000Z', '0000-01-01T00:00:00.000Z'])
  })

  it('pending entries are omitted: no later file would remove them', () => {
    expect(upload(fixture('statement.camt053.xml')).transactions).toHaveLength(1)
  })

  it('of two statements of one account the newer one defines the account', () => {
    const text = textOf('chain.mt940')
    const later = text
      .replaceAll(':60F:C240227EUR1000,', ':60F:C240301EUR750,')
      .replaceAll(/:61:[\s\S]*?(?=:6[02])/g, '')
      .replace(/C240228EUR749,50/g, 'C240302EUR750,')
      .replace('C240230EUR750,', 'C240305EUR750,')
    expect(upload(bytesOf(later + text)).versions).toEqual(['2024-03-05T23:59:59.999Z'])
  })
})

describe('totals that do not match', () => {
  it('an MT940 is refused with both figures and the line', async () => {
    const text = textOf('chain.mt940').replace(':62F:C240230EUR750,', ':62F:C240230EUR751,')
    expect(await refusal(bytesOf(text))).toEqual({
      en: 'Line 20: opening balance and movements come to 750, but the closing balance (:62F:) says 751.',
      'fr-CA': 'Ligne 20 : le solde d’ouverture et les mouvements donnent 750, mais le solde de clôture (:62F:) indique 751.',
    })
  })

  it('a camt.053 is refused, with figures in the language’s format', async () => {
    const text = textOf('statement.camt053.xml').replace('>250.01<', '>250.02<')
    expect((await refusal(bytesOf(text)))['fr-CA']).toBe(
      'Ligne 17 : le solde d’ouverture 100,005 et les écritures -250,02 ne donnent pas le solde de clôture -150,005.',
    )
  })

  it('a BAI2 account with a wrong control total is omitted, and the others are kept', async () => {
    const text = textOf('loan.bai2').replace('16,475,1000,Z', '16,475,1001,Z')
    expect((await examine(bytesOf(text))).leftOut).toEqual([
      {
        en: '••••5123: Line 11: the control total in record 49 is 2436567, but the records above give 2436568. 2 transactions of this statement are left out with it.',
        'fr-CA':
          '••••5123 : Ligne 11 : le total de contrôle de l’enregistrement 49 est 2436567, mais les enregistrements qui précèdent donnent 2436568. 2 opérations de ce relevé sont écartées avec lui.',
      },
    ])
  })

  it('a BAI2 account with a wrong number of records is omitted', async () => {
    const { leftOut } = await examine(bytesOf(textOf('loan.bai2').replace('49,5000500,2/', '49,5000500,3/')))
    expect(leftOut.map(({ en }) => en)).toEqual([
      '••••5777: Line 13: the number of records in record 49 is 3, but the records above give 2.',
    ])
  })

  it.each([
    ['98,30582499,3,13', '98,30582499,2,13', 'Line 14: the number of accounts in record 98 is 2, but the records above give 3.'],
    ['98,30582499,3,13', '98,30582499,3,14', 'Line 14: the number of records in record 98 is 14, but the records above give 13.'],
    ['99,30582499,1,15', '99,30582490,1,15', 'Line 15: the control total in record 99 is 30582490, but the records above give 30582499.'],
    ['99,30582499,1,15', '99,30582499,2,15', 'Line 15: the number of groups in record 99 is 2, but the records above give 1.'],
  ])('a BAI2 file with %s changed to %s is refused', async (from, to, message) => {
    expect((await refusal(bytesOf(textOf('loan.bai2').replace(from, to)))).en).toBe(message)
  })

  it('in a stored file, only the faulty statement is set aside', () => {
    const { accounts, transactions, setAside } = upload(bytesOf(textOf('loan.bai2').replace('16,475,1000,Z', '16,475,1001,Z')))
    expect(accounts.map(({ currency }) => currency)).toEqual(['CAD', 'KWD'])
    expect(transactions.map(({ category }) => category)).toEqual(['722', '760'])
    expect(setAside).toEqual([
      'Line 11: the control total in record 49 is 2436567, but the records above give 2436568. 2 transactions of this statement are left out with it.',
    ])
  })

  it('an intermediate MT940 balance without its next page is refused', async () => {
    const [firstPage = ''] = textOf('chain.mt940').split('-}')
    expect((await refusal(bytesOf(firstPage))).en).toBe('Line 9: the statement goes on (:62M:), but its next page is not in the file.')
  })
})

describe('a stored file that cannot be parsed', () => {
  it('is bad data, never an empty list', () => {
    expect(() => readItemsOf(bytesOf('%PDF-1.7'))).toThrow(SourceError)
  })

  it('an empty page has no records', async () => {
    const { bankFilesConnector } = await import('../../../src/connectors/bank-files/client.ts')
    expect([...(bankFilesConnector.pulls[0]?.read({}) ?? [1])]).toEqual([])
  })
})
