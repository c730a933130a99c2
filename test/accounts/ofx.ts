import { dayText, type Shown } from './shown.ts'

/** Statement of one account as a bank offers it for download: the bank’s routing number, and no name. */
export function toOfx({ account, movements, balance, readAt }: Shown): Uint8Array {
  const isCard = account.kind === 'card'
  const from = isCard
    ? `<CCACCTFROM><ACCTID>${account.number}</ACCTID></CCACCTFROM>`
    : `<BANKACCTFROM><BANKID>${account.bank.routing}</BANKID><ACCTID>${account.number}</ACCTID><ACCTTYPE>${account.kind.toUpperCase()}</ACCTTYPE></BANKACCTFROM>`
  const rows = movements.map(
    ({ id, booked, amount, text }) =>
      `<STMTTRN><TRNTYPE>${amount > 0 ? 'CREDIT' : 'DEBIT'}</TRNTYPE><DTPOSTED>${compact(booked)}</DTPOSTED><TRNAMT>${toAmount(amount)}</TRNAMT><FITID>${id}</FITID><NAME>${text.slice(0, 32)}</NAME></STMTTRN>`,
  )
  const days = movements.map(({ booked }) => booked).sort((a, b) => a - b)
  const [start = 0, end = 0] = [days.at(0), days.at(-1)]
  const list = `<BANKTRANLIST><DTSTART>${compact(start)}</DTSTART><DTEND>${compact(end)}</DTEND>${rows.join('')}</BANKTRANLIST>`
  const at = new Date(readAt).toISOString().replace(/[-:T]/g, '').slice(0, 14)
  const ledger = `<LEDGERBAL><BALAMT>${toAmount(isCard ? -balance : balance)}</BALAMT><DTASOF>${at}</DTASOF></LEDGERBAL>`
  const status = '<TRNUID>1</TRNUID><STATUS><CODE>0</CODE><SEVERITY>INFO</SEVERITY></STATUS>'
  const body = `<CURDEF>CAD</CURDEF>${from}${movements.length === 0 ? '' : list}${ledger}`
  const message = isCard
    ? `<CREDITCARDMSGSRSV1><CCSTMTTRNRS>${status}<CCSTMTRS>${body}</CCSTMTRS></CCSTMTTRNRS></CREDITCARDMSGSRSV1>`
    : `<BANKMSGSRSV1><STMTTRNRS>${status}<STMTRS>${body}</STMTRS></STMTTRNRS></BANKMSGSRSV1>`
  return new TextEncoder().encode(
    `<?xml version="1.0" encoding="UTF-8"?>\n<?OFX OFXHEADER="200" VERSION="220" SECURITY="NONE" OLDFILEUID="NONE" NEWFILEUID="NONE"?>\n<OFX><SIGNONMSGSRSV1><SONRS><STATUS><CODE>0</CODE><SEVERITY>INFO</SEVERITY></STATUS><DTSERVER>${at}</DTSERVER><LANGUAGE>ENG</LANGUAGE></SONRS></SIGNONMSGSRSV1>${message}</OFX>`,
  )
}

function compact(day: number): string {
  return dayText(day).replaceAll('-', '')
}

function toAmount(minor: number): string {
  return (minor / 100).toFixed(2)
}
