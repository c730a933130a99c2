/** Statement files in the banks' formats, of about a given size, filled with consecutive transactions. */
export const STATEMENTS: Readonly<Record<string, { leastMegabytes: number; write(bytes: number): string }>> = {
  ofx: { leastMegabytes: 50, write: writeOfx },
  bai2: { leastMegabytes: 50, write: writeBai2 },
  mt940: { leastMegabytes: 50, write: writeMt940 },
  camt053: { leastMegabytes: 20, write: writeCamt053 },
}

function repeat(bytes: number, line: (index: number) => string): string[] {
  const lines: string[] = []
  for (let size = 0, index = 0; size < bytes; index += 1) {
    const next = line(index)
    lines.push(next)
    size += next.length
  }
  return lines
}

const day = (index: number): string => String((index % 28) + 1).padStart(2, '0')
const payee = (index: number): string => `Quincaillerie ${index % 977} et fils`

function writeOfx(bytes: number): string {
  const movements = repeat(
    bytes,
    (index) =>
      `<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>202603${day(index)}120000[-5:EST]<TRNAMT>-${index % 9_000}.25<FITID>2026${index}<NAME>${payee(index)}<MEMO>Facture ${index}</STMTTRN>\n`,
  )
  const head =
    'OFXHEADER:100\nDATA:OFXSGML\nVERSION:102\nSECURITY:NONE\nENCODING:USASCII\nCHARSET:1252\nCOMPRESSION:NONE\nOLDFILEUID:NONE\nNEWFILEUID:NONE\n\n'
  const open =
    '<OFX><SIGNONMSGSRSV1><SONRS><STATUS><CODE>0<SEVERITY>INFO</STATUS><DTSERVER>20260331120000<LANGUAGE>FRA</SONRS></SIGNONMSGSRSV1><BANKMSGSRSV1><STMTTRNRS><TRNUID>1<STATUS><CODE>0<SEVERITY>INFO</STATUS><STMTRS><CURDEF>CAD<BANKACCTFROM><BANKID>000600011<ACCTID>00012778899<ACCTTYPE>CHECKING</BANKACCTFROM><BANKTRANLIST><DTSTART>20260301<DTEND>20260331\n'
  const close = '</BANKTRANLIST><LEDGERBAL><BALAMT>1200.00<DTASOF>20260331</LEDGERBAL></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>\n'
  return `${head}${open}${movements.join('')}${close}`
}

function writeBai2(bytes: number): string {
  let sum = 0
  const movements = repeat(bytes, (index) => {
    sum += (index % 9_000) + 25
    return `16,475,${(index % 9_000) + 25},Z,CHQ ${index},REF${index},${payee(index)}, facture ${index}/\n`
  })
  const records = movements.length
  const head = '01,HARBCA33,CUSTOMER,260401,0715,1,,,2/\n02,CUSTOMER,HARBCA33,1,260331,2359,CAD,2/\n03,00012778899,CAD,010,0,,/\n'
  return `${head}${movements.join('')}49,${sum},${records + 2}/\n98,${sum},1,${records + 4}/\n99,${sum},1,${records + 6}/\n`
}

function writeMt940(bytes: number): string {
  let cents = 100_000_000_000
  const start = amountText(cents)
  const movements = repeat(bytes, (index) => {
    cents -= (index % 9_000) * 100 + 25
    return `:61:2603${day(index)}03${day(index)}D${index % 9_000},25NTRFREF${index}//B${index}\n:86:177?00PAIEMENT?20Facture ${index}?32${payee(index)}\n`
  })
  return `:20:STMT1\n:25:37040044/532013000\n:28C:12/1\n:60F:C260228CAD${start}\n${movements.join('')}:62F:C260331CAD${amountText(cents)}\n-\n`
}

function amountText(cents: number): string {
  return `${Math.floor(cents / 100)},${String(cents % 100).padStart(2, '0')}`
}

function writeCamt053(bytes: number): string {
  let cents = 0
  const movements = repeat(bytes, (index) => {
    cents += (index % 9_000) * 100 + 25
    return `<Ntry><Amt Ccy="CAD">${index % 9_000}.25</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>2026-03-${day(index)}</Dt></BookgDt><ValDt><Dt>2026-03-${day(index)}</Dt></ValDt><AcctSvcrRef>B${index}</AcctSvcrRef><NtryDtls><TxDtls><Refs><EndToEndId>E${index}</EndToEndId></Refs><RltdPties><Dbtr><Nm>${payee(index)}</Nm></Dbtr></RltdPties><RmtInf><Ustrd>Facture ${index}</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>\n`
  })
  const balance = (code: string, amount: string, on: string) =>
    `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp><Amt Ccy="CAD">${amount}</Amt><CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>${on}</Dt></Dt></Bal>`
  const closing = amountText(cents).replace(',', '.')
  const head =
    '<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><GrpHdr><MsgId>1</MsgId><CreDtTm>2026-03-31T12:00:00</CreDtTm></GrpHdr><Stmt><Id>1</Id><CreDtTm>2026-03-31T12:00:00</CreDtTm><Acct><Id><Othr><Id>00012778899</Id></Othr></Id><Ccy>CAD</Ccy></Acct>'
  return `${head}${balance('OPBD', '0.00', '2026-02-28')}${balance('CLBD', closing, '2026-03-31')}\n${movements.join('')}</Stmt></BkToCstmrStmt></Document>\n`
}
