import { type Element, find, textOf } from '../syntax/elements.ts'

/** Maximum texts shown of a batch; a payroll entry may have thousands. */
const MAX_TEXTS = 5

/** `Dt` or `DtTm`; of related dates the day of the transaction. */
export function dateOf(element: Element | undefined): string | null {
  return textOf(element, 'Dt') ?? textOf(element, 'DtTm') ?? textOf(element, 'TxDtTm') ?? textOf(element, 'AccptncDtTm')
}

/** `PMNT/RCDT/BOOK`, or the bank's own code. */
export function categoryOf(entry: Element): string | null {
  const code = find(entry, 'BkTxCd')
  const domain = find(code, 'Domn')
  const iso = [textOf(domain, 'Cd'), textOf(domain, 'Fmly', 'Cd'), textOf(domain, 'Fmly', 'SubFmlyCd')].filter((word) => word !== null)
  if (iso.length > 0) return iso.join('/')
  return textOf(code, 'Prtry', 'Cd') ?? textOf(find(detailsOf(entry)[0], 'BkTxCd'), 'Prtry', 'Cd')
}

/** Counterparty's name: the payee of a debit, the payer of a credit. A batch has one only when all its parts agree. */
export function counterpartyOf(entry: Element, isDebit: boolean): string | null {
  const role = isDebit ? 'Cdtr' : 'Dbtr'
  const names = new Set(detailsOf(entry).map((details) => partyName(details, role) ?? partyName(details, `Ultmt${role}`)))
  const [name] = names
  return names.size === 1 ? (name ?? null) : null
}

/** Remittance text, else a structured reference, else the bank's own text. */
export function describe(entry: Element): string | null {
  const details = detailsOf(entry)
  const texts = [...new Set(details.map((each) => remittanceOf(each) ?? textOf(each, 'AddtlTxInf')).filter((text) => text !== null))]
  const own = textOf(entry, 'AddtlNtryInf')
  if (details.length > 1 && own !== null) return own
  return texts.length > 0 ? texts.slice(0, MAX_TEXTS).join('; ') : own
}

function detailsOf(entry: Element): Element[] {
  return entry.children
    .filter((child) => child.name === 'NtryDtls')
    .flatMap((details) => details.children.filter((child) => child.name === 'TxDtls'))
}

/** Name of a party; since version 08 it is one level deeper. */
function partyName(details: Element, role: string): string | null {
  const party = find(details, 'RltdPties', role)
  return textOf(party, 'Nm') ?? textOf(party, 'Pty', 'Nm')
}

function remittanceOf(details: Element): string | null {
  const remittance = find(details, 'RmtInf')
  const lines = remittance?.children.filter((child) => child.name === 'Ustrd').map((line) => line.text) ?? []
  return lines.join(' ') || textOf(remittance, 'Strd', 'CdtrRefInf', 'Ref')
}
