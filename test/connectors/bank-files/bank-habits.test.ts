import { describe, expect, it } from 'vitest'
import { bytesOf, examine, fixture, upload } from '../../../src/connectors/bank-files/fixtures/upload.ts'
import { InputRefused } from '../../../src/connectors/contract/authorization.ts'

/** Deviations from the common format at real banks; the samples are our own. */

function textOf(name: string): string {
  return new TextDecoder().decode(fixture(name))
}

async function refusal(text: string): Promise<InputRefused['text']> {
  const error = await examine(bytesOf(text)).catch((reason: unknown) => reason)
  if (error instanceof InputRefused) return error.text
  throw new Error(`not refused: ${error}`)
}

const notes = async (text: string) => (await examine(bytesOf(text))).leftOut.map(({ en }) => en)

const bai = (records: readonly string[], total = '15500', count = records.length + 1) =>
  bytesOf(
    [
      '01,BANK,CUSTOMER,260401,0715,1,,,2/',
      '02,CUSTOMER,BANK,1,260331,2359,CAD,2/',
      ...records,
      `49,${total},${count}/`,
      `98,,1,${count + 2}/`,
      `99,,1,${count + 4}/`,
      '',
    ].join('\n'),
  )

describe('BAI2', () => {
  const closing = '03,0001112223,CAD,010,5000,,,015,10000,,/'
  const movement = '16,475,500,Z,REF 1,CUST 1,CHEQUE 12/'

  it.each([
    ['whole', [closing, movement]],
    ['a comma before the slash and the continuation', ['03,0001112223,CAD,010,5000,,,/', '88,015,10000,,/', movement]],
    ['one comma more before the continuation', ['03,0001112223,CAD,010,5000,,,,/', '88,015,10000,,/', movement]],
    ['a comma and no slash before the continuation', ['03,0001112223,CAD,010,5000,,,', '88,015,10000,,/', movement]],
    ['one comma less and no slash', ['03,0001112223,CAD,010,5000,,', '88,015,10000,,/', movement]],
    ['no comma and no slash', ['03,0001112223,CAD,010,5000,,', '88,015,10000/', movement]],
    ['a code that is continued behind its comma', ['03,0001112223,CAD,010,5000,,,015,', '88,10000,,/', movement]],
    ['an amount that is continued behind its comma', [closing, '16,475,', '88,500,Z,REF 1,CUST 1,CHEQUE 12/']],
    ['a reference that is continued behind its comma', [closing, '16,475,500,Z,REF 1,', '88,CUST 1,CHEQUE 12/']],
    ['a text that is continued behind its comma', [closing, '16,475,500,Z,REF 1,CUST 1,', '88,CHEQUE 12/']],
  ])('reads a record with %s the same way', (_how, records) => {
    const { accounts, transactions, setAside } = upload(bai(records))
    expect(setAside).toEqual([])
    expect(accounts.map(({ actualBalance, accountNumber }) => [accountNumber, actualBalance])).toEqual([['••••2223', '100']])
    expect(transactions).toMatchObject([{ amount: '-5', description: 'CHEQUE 12', category: '475', postedOn: '2026-03-31' }])
  })

  it('uses the closing balance (015), not the opening one (010), in any order', () => {
    for (const record of [closing, '03,0001112223,CAD,015,10000,,,010,5000,,/']) {
      expect(upload(bai([record, movement])).accounts[0]?.actualBalance).toBe('100')
    }
  })

  it.each(['', '?', '155.00'])('accepts an account whose control total is “%s”', (total) => {
    const { accounts, transactions } = upload(bai([closing, movement], total))
    expect([accounts.length, transactions.length]).toEqual([1, 1])
  })

  it('accepts a file whose groups and accounts state no totals', () => {
    const text = textOf('loan.bai2')
      .replace(/^(49|98),[^/]*/gm, '$1,,')
      .replace('99,30582499', '99,')
    expect(upload(bytesOf(text)).accounts).toHaveLength(3)
  })

  it('sets an account without trailer aside and keeps the others', async () => {
    const text = textOf('loan.bai2').replace('49,2436567,4/\n', '').replace('3,13/', '3,12/').replace('1,15/', '1,14/')
    expect(upload(bytesOf(text)).accounts.map(({ currency }) => currency)).toEqual(['CAD', 'KWD'])
    expect(await notes(text)).toEqual([
      '••••5123: Line 11: the account before this record has no trailer (49). 2 transactions of this statement are left out with it.',
    ])
  })

  it('sets an account without a number aside and keeps the others', async () => {
    const text = textOf('loan.bai2').replace('03,10200555123,', '03,,')
    expect(upload(bytesOf(text)).accounts.map(({ currency }) => currency)).toEqual(['CAD', 'KWD'])
    expect(await notes(text)).toEqual(['Line 8: record 03 names no account. 2 transactions of this statement are left out with it.'])
  })
})

describe('OFX', () => {
  const card = textOf('card.qfx')

  it('is accepted without a readable server date', async () => {
    const text = card.replace('<DTSERVER>20260305080000', '<DTSERVER>yesterday')
    const { accounts, transactions } = upload(bytesOf(text))
    expect([accounts[0]?.sourceUpdatedDate, accounts[0]?.actualBalance, transactions.length]).toEqual([null, '1530.25', 3])
    expect(await notes(text)).toContain('••••1111: Line 20: a date of an account does not exist (DTSERVER).')
  })

  it('is accepted without a readable balance, which is then unknown', async () => {
    const text = card.replace('<LEDGERBAL><BALAMT>-1530.25', '<LEDGERBAL><BALAMT>n/a')
    const { accounts, transactions, setAside } = upload(bytesOf(text))
    expect([accounts[0]?.actualBalance, accounts[0]?.availableCredit, transactions.length]).toEqual([null, '8469.75', 3])
    expect(setAside).toContain('Line 20: the amount LEDGERBAL of an account cannot be read.')
    expect(await notes(text)).toContain('••••1111: Line 20: the amount LEDGERBAL of an account cannot be read.')
  })

  it('with an invalid balance date keeps the balance, dated by the statement’s last day', () => {
    const { accounts, versions } = upload(bytesOf(card.replaceAll('20260304120000[-5:EST]', '20260230')))
    expect([accounts[0]?.actualBalance, accounts[0]?.actualBalanceDate]).toEqual(['1530.25', null])
    expect(versions).toEqual(['2026-03-04T23:59:59.999Z'])
  })

  const signOn = (status: string) =>
    `OFXHEADER:100\n\n<OFX>\n<SIGNONMSGSRSV1><SONRS>\n<STATUS>${status}</STATUS><DTSERVER>20260305<LANGUAGE>ENG</SONRS></SIGNONMSGSRSV1>\n</OFX>\n`

  it('with a refused sign-on shows the bank’s message, with long numbers masked', async () => {
    expect(await refusal(signOn('<CODE>15500<SEVERITY>ERROR<MESSAGE>Signon invalid for user 4500123412341111.'))).toEqual({
      en: 'Line 5: the bank refused the sign-on with error 15500 and gave no statement: “Signon invalid for user …”.',
      'fr-CA':
        'Ligne 5 : l’institution a refusé la connexion avec l’erreur 15500 et n’a donné aucun relevé : « Signon invalid for user … ».',
    })
  })

  it('without statement and without error contains none', async () => {
    expect((await refusal(signOn('<CODE>0<SEVERITY>INFO'))).en).toBe('The OFX file holds no statement.')
  })

  const withBalances = (ledger: string, available: string) =>
    card.replace('<BALAMT>-1530.25', `<BALAMT>${ledger}`).replace('<BALAMT>8469.75', `<BALAMT>${available}`)

  it.each([
    ['-1530.25', '-1530.25'],
    ['-1530.25', '1530.25'],
    ['0.00', '-0'],
  ])('has no available credit if the balance %s is repeated there (%s)', (ledger, available) => {
    expect(upload(bytesOf(withBalances(ledger, available))).accounts[0]?.availableCredit).toBeNull()
  })

  const statementOf = (number: string, balance: string) =>
    `<CCSTMTTRNRS><TRNUID>0<STATUS><CODE>0<SEVERITY>INFO</STATUS><CCSTMTRS><CURDEF>CAD<CCACCTFROM><ACCTID>${number}</CCACCTFROM><LEDGERBAL><BALAMT>${balance}<DTASOF>20260304</LEDGERBAL></CCSTMTRS></CCSTMTTRNRS>`
  const cards = (...balances: string[]) =>
    bytesOf(
      `OFXHEADER:100\n\n<OFX><SIGNONMSGSRSV1><SONRS><STATUS><CODE>0<SEVERITY>INFO</STATUS><DTSERVER>20260305<LANGUAGE>ENG<INTU.BID>3000</SONRS></SIGNONMSGSRSV1><CREDITCARDMSGSRSV1>${balances.map((balance, index) => statementOf(`45001234123411${index}1`, balance)).join('')}</CREDITCARDMSGSRSV1></OFX>`,
    )
  const balancesOf = (file: Uint8Array) => upload(file).accounts.map(({ actualBalance }) => actualBalance)

  it('shows a card in credit beside one with debt as a negative balance, whichever sign its bank uses', () => {
    expect(balancesOf(cards('0.21', '-764.60'))).toEqual(['-0.21', '764.6'])
    expect(balancesOf(cards('764.60', '-0.21'))).toEqual(['764.6', '-0.21'])
  })

  it('treats cards of one sign as debt', () => {
    expect(balancesOf(cards('-10', '-764.60'))).toEqual(['10', '764.6'])
    expect(balancesOf(cards('10', '0'))).toEqual(['10', '0'])
  })

  it('names the bank by its Intuit number if nothing else does', () => {
    expect(upload(cards('-10')).accounts[0]?.providerName).toBe('INTU.BID 3000')
  })

  it('sets the transactions of a statement without account aside with it', async () => {
    const text = card.replaceAll('<ACCTID>4500123412341111', '')
    expect((await refusal(text)).en).toBe('Line 16: a statement names no account (ACCTID).')
  })
})

describe('camt.053', () => {
  const text = textOf('statement.camt053.xml')
  const undated = text.replace(/<c:BookgDt>.*<\/c:ValDt>/, '')

  it('an entry without any date has the day of the closing balance', () => {
    expect(upload(bytesOf(undated)).transactions.map(({ postedOn }) => postedOn)).toEqual(['2026-03-31'])
  })

  it('an entry without any date has the last day of the period if the closing balance has none', () => {
    const period = undated
      .replace(/<c:Bal><c:Tp><c:CdOrPrtry><c:Cd>CLBD.*\n/, '')
      .replace(
        '<c:Acct>',
        '<c:FrToDt><c:FrDtTm>2026-03-01T00:00:00Z</c:FrDtTm><c:ToDtTm>2026-03-30T23:59:59Z</c:ToDtTm></c:FrToDt><c:Acct>',
      )
    expect(upload(bytesOf(period)).transactions.map(({ postedOn }) => postedOn)).toEqual(['2026-03-30'])
  })

  it('an entry whose day cannot be determined is set aside, and the uploader is told', async () => {
    const never = undated.replace(/<c:Bal>.*\n/g, '')
    expect(upload(bytesOf(never)).transactions).toEqual([])
    expect(await notes(never)).toEqual(['••••3000: Line 16: the booking date of a transaction cannot be read. It is left out.'])
  })
})
