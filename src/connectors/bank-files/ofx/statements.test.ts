import { expect, it } from 'vitest'
import { parseOfx } from './statements.ts'

const statement = (inside: string): string =>
  `OFXHEADER:100\n\n<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>CAD<BANKACCTFROM><BANKID>1<ACCTID>12345678<ACCTTYPE>CHECKING</BANKACCTFROM>${inside}</STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>`
const partsOf = (inside: string): string[] => [...parseOfx(statement(inside), () => 1)].map(({ part }) => part)

it.each(['STMTTRNP', 'LOANSTMTTRNP'])('a transaction that is under way is left out, and counted: %s', (name) => {
  expect(partsOf(`<BANKTRANLISTP><${name}><TRNTYPE>DEBIT<TRNAMT>-1.00</${name}></BANKTRANLISTP>`)).toEqual(['notBooked', 'account'])
})

it.each(['STMTTRN', 'LOANSTMTTRN'])('a transaction that is booked is one: %s', (name) => {
  expect(partsOf(`<BANKTRANLIST><${name}><TRNTYPE>DEBIT<DTPOSTED>20260228<TRNAMT>-1.00<FITID>1</${name}></BANKTRANLIST>`)).toEqual([
    ...['transaction', 'account'],
  ])
})
