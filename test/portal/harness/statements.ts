/**
 * An OFX statement of `count` accounts, each named by its number; the first has `movements` transactions, one per day
 * back from 30 September 2026. The balance of the first is 1.50, that of the next 2.50; `later` adds days and as many dollars.
 */
export function writeStatement(count: number, movements: number, later = 0): string {
  const accounts = Array.from({ length: count }, (_, index) => writeAccount(index, index === 0 ? movements : 0, later))
  return `${HEAD}<BANKMSGSRSV1>${accounts.join('\n')}</BANKMSGSRSV1></OFX>`
}

/** Number of the account at an index, counted from 0. */
export function accountNumberAt(index: number): string {
  return String(7_000_000 + index)
}

const HEAD = `OFXHEADER:100
DATA:OFXSGML
VERSION:102
SECURITY:NONE
ENCODING:UTF-8
CHARSET:NONE
COMPRESSION:NONE
OLDFILEUID:NONE
NEWFILEUID:NONE

<OFX><SIGNONMSGSRSV1><SONRS><STATUS><CODE>0<SEVERITY>INFO</STATUS><DTSERVER>20260930120000<LANGUAGE>ENG<FI><ORG>Larchmoor Credit Union<FID>90417</FI></SONRS></SIGNONMSGSRSV1>
`

function writeAccount(index: number, movements: number, later: number): string {
  const end = new Date(Date.UTC(2026, 8, 30 + later)).toISOString().slice(0, 10).replaceAll('-', '')
  const lines = Array.from({ length: movements }, (_, at) => {
    const day = new Date(Date.UTC(2026, 8, 30 - at)).toISOString().slice(0, 10).replaceAll('-', '')
    return `<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>${day}<TRNAMT>-${at + 1}.25<FITID>M${at}<NAME>Movement ${at}</STMTTRN>`
  })
  return `<STMTTRNRS><TRNUID>${index + 1}<STATUS><CODE>0<SEVERITY>INFO</STATUS><STMTRS><CURDEF>CAD
<BANKACCTFROM><BANKID>990417221<ACCTID>${accountNumberAt(index)}<ACCTTYPE>CHECKING</BANKACCTFROM>
<BANKTRANLIST><DTSTART>20240101<DTEND>${end}
${lines.join('\n')}</BANKTRANLIST>
<LEDGERBAL><BALAMT>${index + 1 + later}.50<DTASOF>${end}</LEDGERBAL></STMTRS></STMTTRNRS>`
}
