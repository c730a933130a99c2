import { describe, expect, it } from 'vitest'
import { NO_UNMAPPED } from '../toolkit/test-mapping.ts'
import { bytesOf, fixture, upload } from './fixtures/upload.ts'

describe('what each format has is mapped, and what it has not stays null', () => {
  it('OFX card: balance owed, credit, closing data and account data', () => {
    expect(upload(fixture('card.qfx')).accounts).toEqual([
      {
        ...NO_UNMAPPED,
        origId: expect.stringMatching(/^[0-9a-f]{32}$/),
        providerName: 'Harbour Bank',
        accountName: 'Business Visa',
        accountNumber: '••••1111',
        accountStatusSystem: 'ACTIVE',
        userAccountClassification: 'BUSINESS',
        kind: { type: 'CreditCards', subType: 'BusinessCard' },
        availableCredit: '8469.75',
        dueDate: '2026-03-08T00:00:00+00:00',
        minimumAmountDue: '50',
        totalCreditLine: '10000',
        amountDue: '1610',
        currency: 'CAD',
        actualBalance: '1530.25',
        actualBalanceDate: '2026-03-04T17:00:00.000+00:00',
        sourceUpdatedDate: '2026-03-05T13:00:00.000+00:00',
      },
    ])
  })

  it('OFX loan: principal, rate, original amount, maturity and lender', () => {
    expect(upload(fixture('loan.ofx')).accounts[1]).toEqual({
      ...NO_UNMAPPED,
      origId: expect.any(String),
      providerName: 'Caisse du Vieux-Port',
      accountName: 'Prêt d’équipement',
      accountNumber: '••••0088',
      accountStatusSystem: 'ACTIVE',
      kind: { type: 'Loans', subType: 'BusinessLoan' },
      interestRate: '6.45',
      maturityDate: '2031-04-30T00:00:00+00:00',
      originalLoanAmount: '250000',
      lender: 'Caisse du Vieux-Port',
      principalBalance: '187654.32',
      currency: 'CAD',
      actualBalance: '187654.32',
      actualBalanceDate: '2026-03-31T21:00:00.000+00:00',
      sourceUpdatedDate: '2026-04-01T13:30:00.000+00:00',
    })
  })

  it('OFX deposit: maturity amount and date, classification and service status', () => {
    expect(upload(fixture('loan.ofx')).accounts[0]).toMatchObject({
      kind: { type: 'Cash', subType: 'Cd' },
      accountStatusSystem: 'INACTIVE',
      userAccountClassification: 'BUSINESS',
      maturityAmount: '10450.75',
      maturityDate: '2027-01-15T00:00:00+00:00',
      actualBalance: '10000',
    })
  })

  it('BAI2 loan: principal, available commitment and amount due', () => {
    expect(upload(fixture('loan.bai2')).accounts[0]).toEqual({
      ...NO_UNMAPPED,
      origId: expect.any(String),
      providerName: 'HARBCA33',
      accountName: 'Commercial Loan ••••8990',
      accountNumber: '••••8990',
      accountStatusSystem: 'ACTIVE',
      kind: { type: 'Loans', subType: 'CommercialLoan' },
      availableCredit: '25000',
      amountDue: '4800',
      principalBalance: '187654.32',
      currency: 'CAD',
      actualBalance: '187654.32',
      actualBalanceDate: '2026-03-31T23:59:00.000+00:00',
      sourceUpdatedDate: '2026-04-01T07:15:00.000+00:00',
    })
  })

  it('camt.053: name, servicer, credit line and a balance with five decimals allowed', () => {
    expect(upload(fixture('statement.camt053.xml')).accounts).toEqual([
      {
        ...NO_UNMAPPED,
        origId: expect.any(String),
        providerName: 'Hafenbank & Söhne',
        accountName: 'Operating account',
        accountNumber: '••••3000',
        accountStatusSystem: 'ACTIVE',
        kind: { type: 'Cash', subType: 'Checking' },
        totalCreditLine: '5000',
        currency: 'EUR',
        actualBalance: '-150.005',
        actualBalanceDate: '2026-04-01T03:30:00.000+00:00',
        sourceUpdatedDate: '2026-04-01T09:00:00.000+00:00',
      },
    ])
  })

  it('MT940: final balance and its day', () => {
    expect(upload(fixture('chain.mt940')).accounts).toEqual([
      {
        ...NO_UNMAPPED,
        origId: expect.any(String),
        providerName: '37040044',
        accountName: 'Other Cash ••••3000',
        accountNumber: '••••3000',
        accountStatusSystem: 'ACTIVE',
        kind: { type: 'Cash', subType: 'OtherCash' },
        currency: 'EUR',
        actualBalance: '750',
        actualBalanceDate: '2024-02-29T00:00:00+00:00',
        sourceUpdatedDate: null,
      },
    ])
  })
})

describe('signs and units', () => {
  it('counts BAI2 amounts in the minor unit of the currency: yen have none, dinars three digits', () => {
    const balances = upload(fixture('loan.bai2')).accounts.map((account) => [account.currency, account.actualBalance])
    expect(balances).toEqual([
      ['CAD', '187654.32'],
      ['JPY', '1234567'],
      ['KWD', '5000.5'],
    ])
  })

  it('shows the closing balance of a BAI2 account, wherever the opening one stands', () => {
    const withOpening = new TextDecoder()
      .decode(fixture('loan.bai2'))
      .replace('JPY,015,1234567', 'JPY,010,1000,,,015,1234567')
      .replace('49,2436567', '49,2437567')
      .replaceAll('30582499', '30583499')
    expect(upload(bytesOf(withOpening)).accounts[1]?.actualBalance).toBe('1234567')
  })

  it('shows what is owed on a card as positive, whichever sign the bank writes', () => {
    const text = new TextDecoder().decode(fixture('card.qfx'))
    const other = upload(bytesOf(text.replace('<BALAMT>-1530.25', '<BALAMT>1530.25')))
    expect(other.accounts[0]?.actualBalance).toBe('1530.25')
  })

  it('keeps an overdrawn account negative', () => {
    expect(upload(fixture('statement.camt053.xml')).accounts[0]?.actualBalance).toBe('-150.005')
  })

  it('gives money in a positive and money out a negative amount, reversals turned', () => {
    expect(upload(fixture('chain.mt940')).transactions.map(({ amount }) => amount)).toEqual(['-250.5', '1', '-0.5'])
    expect(upload(fixture('loan.bai2')).transactions.map(({ amount }) => amount)).toEqual(['4000', '-10000', '-1000', '-1000'])
  })
})

describe('dates', () => {
  it('keeps the day on which the bank booked, also near midnight in its zone', () => {
    expect(upload(fixture('card.qfx')).transactions[0]).toMatchObject({ postedOn: '2026-02-28', transactionOn: '2026-02-27' })
  })

  it('reads 30 February of an MT940 as the last day of that month', () => {
    expect(upload(fixture('chain.mt940')).accounts[0]?.actualBalanceDate).toBe('2024-02-29T00:00:00+00:00')
  })

  it.each([
    ['251231', '0102', '2026-01-02'],
    ['260102', '1231', '2025-12-31'],
    ['260102', '', '2026-01-02'],
    ['260331', '0330', '2026-03-30'],
  ])('of an MT940, value day %s and booking day %s, are booked on %s: in the year that lies nearest', (valued, booked, postedOn) => {
    const text = new TextDecoder().decode(fixture('chain.mt940')).replace(':61:2402280229DR', `:61:${valued}${booked}DR`)
    expect(upload(bytesOf(text)).transactions[0]?.postedOn).toBe(postedOn)
  })

  it('sets a transaction of an impossible day aside and says where it stands', () => {
    expect(upload(fixture('card.qfx')).setAside).toEqual(['Line 27: the date (booked) of a transaction cannot be read.'])
  })
})

describe('words', () => {
  it('an unknown account type becomes the other kind of its group and is reported', () => {
    const text = new TextDecoder().decode(fixture('loan.ofx')).replaceAll('>SMB<', '>AIRCRAFT<')
    const { accounts, unmapped } = upload(bytesOf(text))
    expect([accounts[1]?.kind, unmapped]).toEqual([{ type: 'Loans', subType: 'OtherLoan' }, ['kind=AIRCRAFT']])
  })

  it('a word that names a property of every object is unknown like any other', () => {
    const text = new TextDecoder().decode(fixture('loan.ofx')).replaceAll('>SMB<', '>constructor<')
    expect(upload(bytesOf(text)).accounts[1]?.kind).toEqual({ type: 'Loans', subType: 'OtherLoan' })
  })

  it.each([
    ['one party', ['Möbel Müller', 'Möbel Müller'], 'Möbel Müller'],
    ['several parties', ['Möbel Müller', 'Glaserei Huber'], ''],
    ['a party and one that is not named', ['Möbel Müller', null], ''],
  ])('the counterparty of a batch of %s is only said when it is one', (_what, parties, expected) => {
    const text = new TextDecoder().decode(fixture('statement.camt053.xml'))
    const one = /<c:TxDtls>.*?<\/c:TxDtls>/s.exec(text)?.[0] ?? ''
    const toDetails = (name: string | null) => (name === null ? '<c:TxDtls/>' : one.replace('Möbel Müller', name))
    const batch = text.replace(one, parties.map(toDetails).join(''))
    expect(upload(bytesOf(batch)).transactions[0]?.counterparty).toBe(expected)
  })

  it('texts, names and categories of the four formats', () => {
    const said = ['card.qfx', 'loan.bai2', 'statement.camt053.xml', 'chain.mt940'].map((name) => {
      const { description, counterparty, category } = upload(fixture(name)).transactions[0] ?? {}
      return [description, counterparty, category]
    })
    expect(said).toEqual([
      ['CAFE L&M', 'CAFE L&M', 'DEBIT'],
      ['Principal, equipment loan', '', '722'],
      ['Rechnung 12 von ••••3000 an ••••2606', 'Möbel Müller', 'PMNT/ICDT/ESCT'],
      ['Miete MaerzKonto ••••3000', 'Hausverwaltung Nord', 'DAUERAUFTRAG'],
    ])
  })
})
