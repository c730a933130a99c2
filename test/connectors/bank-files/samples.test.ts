import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { examine, type Upload, upload } from '../../../src/connectors/bank-files/fixtures/upload.ts'
import { InputRefused } from '../../../src/connectors/contract/authorization.ts'

const FOLDER = new URL('../../../../shared/samples/banking/', import.meta.url)
const isThere = existsSync(FOLDER)

function sample(name: string): Uint8Array {
  return readFileSync(new URL(name, FOLDER))
}

/** Day, amount, category, description of each transaction. */
function movements({ transactions }: Upload): (string | null)[][] {
  return transactions.map(({ postedOn, amount, category, description }) => [postedOn, amount, category, description])
}

/** Mask, kind, currency, balance and its date of each account. */
function balances({ accounts }: Upload): (string | null)[][] {
  return accounts.map(({ accountNumber, kind, currency, actualBalance, actualBalanceDate }) => [
    accountNumber,
    kind.subType,
    currency,
    actualBalance,
    actualBalanceDate,
  ])
}

async function refusedAs(name: string): Promise<string> {
  const error = await examine(sample(name)).then(
    () => null,
    (reason: unknown) => reason,
  )
  return error instanceof InputRefused ? error.text.en : `not refused: ${error}`
}

describe.skipIf(!isThere)('public OFX samples (skipped when ../shared/samples/banking is absent)', () => {
  it('specification 1.6, SGML with comments', () => {
    const read = upload(sample('ofx/libofx_ofx_spec160_stmtrs_example.sgml'))
    expect(balances(read)).toEqual([['••••9988', 'Checking', 'USD', '200.29', '1996-10-29T11:20:00.000+00:00']])
    expect(movements(read)).toEqual([
      ['1996-10-04', '-200', 'CHECK', '1000'],
      ['1996-10-20', '-300', 'ATM', ''],
    ])
  })

  it('specification 2.0.1, XML with comments', () => {
    const read = upload(sample('ofx/libofx_ofx_spec201_stmtrs_example.xml'))
    expect(balances(read)).toEqual([['••••9988', 'Checking', 'USD', '200.29', '1999-10-29T11:20:00.000+00:00']])
    expect(read.accounts[0]).toMatchObject({ providerName: 'NCH', sourceUpdatedDate: '1999-10-29T10:10:03.000+00:00' })
    expect(read.transactions.map(({ postedOn, transactionOn }) => [postedOn, transactionOn])).toEqual([
      ['1999-10-04', null],
      ['1999-10-20', '1999-10-20'],
    ])
  })

  it('a card in SGML under an XML header', () => {
    const read = upload(sample('ofx/ofxparse_anzcc.ofx'))
    expect(balances(read)).toEqual([['••••1234', 'CreditCard', 'AUD', '123.45', '2017-05-10T19:28:49.000+00:00']])
    expect(read.accounts[0]?.availableCredit).toBeNull()
    expect(movements(read)).toEqual([['2017-05-08', '-5.5', 'DEBIT', 'SOME MEMO']])
  })

  it('a chequing account with a header of 1.02', () => {
    const read = upload(sample('ofx/ofxparse_checking.ofx'))
    expect(balances(read)).toEqual([['••••6877', 'Checking', 'USD', '100.99', '2013-05-25T22:57:31.258+00:00']])
    expect(movements(read)).toEqual([
      [
        '2011-03-31',
        '0.01',
        'CREDIT',
        'DIVIDEND EARNED FOR PERIOD OF 03/01/2011 THROUGH 03/31/2011 ANNUAL PERCENTAGE YIELD EARNED IS 0.05%',
      ],
      ['2011-04-05', '-34.51', 'DEBIT', 'AUTOMATIC WITHDRAWAL, ELECTRIC BILL WEB(S )'],
      ['2011-04-07', '-25', 'CHECK', 'RETURNED CHECK FEE, CHECK # 319 FOR $45.33 ON 04/07/11'],
    ])
  })

  it('an error of the bank instead of a statement', async () => {
    expect(await refusedAs('ofx/ofxparse_error_message.ofx')).toBe(
      'Line 20: the bank wrote error 2000 instead of a statement: “General Server Error”.',
    )
  })

  it('two accounts with dates in a time zone', () => {
    const read = upload(sample('ofx/ofxparse_multiple_accounts2.ofx'))
    expect(balances(read)).toEqual([
      ['••••100', 'Checking', 'USD', '111', '2012-06-03T20:32:20.000+00:00'],
      ['••••200', 'Savings', 'USD', '222', '2012-06-03T20:32:20.000+00:00'],
    ])
  })

  it('texts in CDATA, dates without time', () => {
    const read = upload(sample('ofx/ofxparse_suncorp.ofx'))
    expect(balances(read)).toEqual([['••••6789', 'Checking', 'AUD', '1234.12', '2013-12-15T00:00:00+00:00']])
    expect(read.transactions[0]).toMatchObject({
      postedOn: '2013-12-15',
      amount: '-16.85',
      counterparty: 'EFTPOS WDL HANDYWAY ALDI STORE',
      description: 'EFTPOS WDL HANDYWAY ALDI STORE GEELONG WEST VICAU',
    })
  })
})

describe.skipIf(!isThere)('public BAI2 samples (skipped when ../shared/samples/banking is absent)', () => {
  it('a British account whose texts begin on continuation lines', () => {
    const read = upload(sample('bai2/moj_nwb_example.bai2'))
    expect(balances(read)).toEqual([['••••0004', 'BusinessAccount', 'GBP', '338.45', '2009-12-16T00:00:00+00:00']])
    expect(movements(read)).toEqual([
      ['2009-12-16', '-9.71', '699', 'LVP XBANKGO24007664SJ LVP INT 2 USAXBANKGO24007664SJ LVP INT 2 USARELAY TFR'],
      ['2009-12-16', '-1', '699', 'TFR XBANKGO24007662CAT TESTXBANKGO24007662XTESTX LIMITEDCCY AC TFR'],
      ['2009-12-16', '-1.23', '699', 'TFR XBANKGO24007684SJ CAT GBP 2 JPYXBANKGO24007684BGC INTERNATIONACCY AC TFR'],
      ['2009-12-16', '-15.71', '699', 'UTF XBANKGO24007665SJ URG INT 2 USAXBANKGO24007665SJ URG INT 2 USAURGENT TFR'],
      ['2009-12-16', '0.89', '399', 'TFR XBANKGO24007680SJ CAT JPY 2 GBPXBANKGO24007680BGC INTERNATIONAL-5373 CLIE NT SECCY AC TFR'],
    ])
  })

  it('a Canadian account without a ledger balance: its balance is unknown, not zero', () => {
    const read = upload(sample('bai2/moov_sample1.txt'))
    expect(balances(read)).toEqual([['••••3456', 'BusinessAccount', 'CAD', null, null]])
    expect(read.transactions.map(({ amount }) => amount).join(' ')).toBe(
      '-25 -900 -5 2035 25 25 -200 -900 -20 -25 -10 115 1000 -1000 -90 -20 -5',
    )
    expect(read.transactions[5]?.description).toBe('MASCOUCHE QUE')
  })

  it('several records on a line, texts over several lines, repeated accounts', () => {
    const read = upload(sample('bai2/moov_sample3.txt'))
    expect(balances(read)).toEqual([
      ['••••1111', 'BusinessAccount', 'USD', '0', '2022-09-19T00:00:00+00:00'],
      ['••••1111', 'BusinessAccount', 'USD', '0', '2022-09-19T00:00:00+00:00'],
    ])
    expect(read.transactions.map(({ amount }) => amount).join(' ')).toBe(
      '25 5 1 -25 -6 -1 -275 -32.03 25 6 6 -115.21 -47.83 -23.47 2.15 1.05 -58.57 -0.87 138.55 115.21 47.83 23.47 0.87 -6 -2.15 -1.05',
    )
  })

  it('a file that begins with a record of another kind', async () => {
    expect(await refusedAs('bai2/moov_sample-parseError.txt')).toBe('Line 1: a BAI2 file begins with record 01, this one with 00.')
  })
})

describe.skipIf(!isThere)('public camt.053 samples (skipped when ../shared/samples/banking is absent)', () => {
  it('version 02 whose closing balance is in another currency', () => {
    const read = upload(sample('camt053/genkgo_camt053.v2.minimal.xml'))
    expect(balances(read)).toEqual([['••••6890', 'OtherCash', 'SEK', '-27', '2014-12-31T00:00:00+00:00']])
    expect(read.transactions).toMatchObject([
      {
        postedOn: '2014-12-31',
        amount: '8.85',
        currency: 'EUR',
        category: '544',
        counterparty: 'NAME NAME',
        description: '4654654654654654',
      },
    ])
  })

  it('version 08 with parties and status one level deeper', () => {
    const read = upload(sample('camt053/genkgo_camt053.v8.xml'))
    expect(balances(read)).toEqual([['••••6890', 'OtherCash', 'SEK', '-27', '2014-12-30T00:00:00+00:00']])
    expect(read.accounts[0]).toMatchObject({ providerName: 'AAAA BANKEN', sourceUpdatedDate: '2015-03-10T18:43:50.000+00:00' })
    expect(read.transactions).toMatchObject([
      { postedOn: '2014-12-31', amount: '8.85', category: 'PMNT/RCDT/BOOK', counterparty: 'NAME NAME' },
    ])
  })

  it('version 02 of a German bank, with a batch', () => {
    const read = upload(sample('camt053/viafintech_valid_example.xml'))
    expect(balances(read)).toEqual([['••••3626', 'OtherCash', 'EUR', '23.06', '2013-12-27T00:00:00+00:00']])
    expect(movements(read)).toEqual([
      ['2013-12-27', '-2', 'NTRF+020', 'TEST BERWEISUNG MITTELS BLZUND KONTONUMMER - DTA'],
      ['2013-12-27', '-3', 'NMSC+201', 'Test+berweisung mit BIC und IBAN SEPA IBAN: ••••3626 BIC: GENODEF1PFK'],
      ['2013-12-27', '1', 'NMSC+051', 'R CKBUCHUNG'],
      ['2013-12-27', '-6', 'NMSC+201', 'Sammelueberwseisung 2. Zahlung TAN:283044; Sammelueberweisung 1. Zahlung TAN:283044'],
    ])
    expect(read.transactions.map(({ counterparty }) => counterparty)).toEqual([
      'Testkonto Nummer 2',
      'Testkonto Nummer 2',
      'Testkonto Nummer 2',
      'Testkonto Nummer 1',
    ])
  })

  it('a message without a statement', async () => {
    expect(await refusedAs('camt053/genkgo_camt053.v2.wrong.xml')).toBe('The camt.053 file holds no statement (Stmt).')
  })
})

describe.skipIf(!isThere)('public MT940 samples (skipped when ../shared/samples/banking is absent)', () => {
  it('two statements of one account, the second not ended by a dash', () => {
    const read = upload(sample('mt940/wolph_jejik_generic.sta'))
    expect(balances(read)).toEqual([['••••1111', 'OtherCash', 'EUR', '80', '2011-03-01T00:00:00+00:00']])
    expect(movements(read)).toEqual([
      ['2011-01-01', '-10', 'N000', ''],
      ['2011-02-01', '-10', 'N000', ''],
    ])
  })

  it('a truncated statement whose transactions do not add up to its closing balance', async () => {
    expect(await refusedAs('mt940/wolph_jejik_ing.sta')).toBe(
      'Line 26: opening balance and movements come to -45.59, but the closing balance (:62F:) says 3.47.',
    )
  })

  it('ten lines of numbers', async () => {
    expect(await refusedAs('mt940/wolph_self-provided_invalid_statement.sta')).toContain('in none of the formats that we read')
  })
})
