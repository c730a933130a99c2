import { escapeXml } from '../../kit/pages/escape-xml.ts'

/**
 * XML answers, for calls that do not accept JSON: elements in the order of Intuit's schema. Source: Finance.xsd of the
 * V3 SDKs
 */

const ENTITY = ['Id', 'SyncToken', 'MetaData']
const ADDRESS = ['Id', 'Line1', 'City', 'Country', 'CountrySubDivisionCode', 'PostalCode']

/** Elements by type, in order; a property that is not listed here throws. */
const ORDERS: Readonly<Record<string, readonly string[]>> = {
  Account: [
    ...ENTITY,
    'Name',
    'SubAccount',
    'ParentRef',
    'Description',
    'FullyQualifiedName',
    'Active',
    'Classification',
    'AccountType',
    'AccountSubType',
    'AcctNum',
    'CurrentBalance',
    'CurrentBalanceWithSubAccounts',
    'CurrencyRef',
  ],
  JournalEntry: [...ENTITY, 'DocNumber', 'TxnDate', 'CurrencyRef', 'PrivateNote', 'Line', 'Adjustment', 'TotalAmt'],
  CompanyInfo: [
    ...ENTITY,
    'CompanyName',
    'LegalName',
    'CompanyAddr',
    'LegalAddr',
    'CompanyStartDate',
    'FiscalYearStartMonth',
    'Country',
    'SupportedLanguages',
    'NameValue',
  ],
  MetaData: ['CreateTime', 'LastUpdatedTime'],
  Line: ['Id', 'LineNum', 'Description', 'Amount', 'DetailType', 'JournalEntryLineDetail'],
  JournalEntryLineDetail: ['PostingType', 'Entity', 'AccountRef'],
  Entity: ['Type', 'EntityRef'],
  CompanyAddr: ADDRESS,
  LegalAddr: ADDRESS,
  NameValue: ['Name', 'Value'],
  Error: ['Message', 'Detail'],
  Fault: ['Error'],
  QueryResponse: ['Account', 'JournalEntry', 'CompanyInfo'],
  CDCResponse: ['QueryResponse'],
  IntuitResponse: ['Account', 'JournalEntry', 'CompanyInfo', 'Fault', 'QueryResponse', 'CDCResponse'],
}

const ATTRIBUTES = new Set(['domain', 'status', 'sparse', 'startPosition', 'maxResults', 'totalCount', 'code', 'element', 'type', 'time'])

/** A complete answer; `body` is the JSON answer. */
export function toXml(body: object): string {
  const children = Object.entries(body).filter(([name]) => name !== 'time')
  const time = Object.entries(body).find(([name]) => name === 'time')?.[1]
  const content = children.map(([name, value]) => toElements(name, value)).join('')
  return `<?xml version="1.0" encoding="UTF-8" standalone="yes"?><IntuitResponse xmlns="http://schema.intuit.com/finance/v3" time="${escapeXml(String(time))}">${content}</IntuitResponse>`
}

function toElements(name: string, value: unknown): string {
  if (Array.isArray(value)) return value.map((item) => toElements(name, item)).join('')
  if (value === null || value === undefined) return ''
  if (typeof value !== 'object') return `<${name}>${escapeXml(String(value))}</${name}>`
  if (name.endsWith('Ref')) return toReference(name, value)
  const order = ORDERS[name]
  if (!order) throw new Error(`no order of elements for ${name}`)
  const properties = Object.entries(value)
  const stray = properties.find(([property]) => !order.includes(property) && !ATTRIBUTES.has(property))
  if (stray) throw new Error(`${name} has no element ${stray[0]}`)
  const attributes = properties
    .filter(([property]) => ATTRIBUTES.has(property))
    .map(([property, text]) => ` ${property}="${escapeXml(String(text))}"`)
  const elements = properties.filter(([property]) => order.includes(property)).sort(([a], [b]) => order.indexOf(a) - order.indexOf(b))
  return `<${name}${attributes.join('')}>${elements.map(([property, child]) => toElements(property, child)).join('')}</${name}>`
}

/** `{ value, name }` becomes text with an attribute. */
function toReference(tag: string, reference: object): string {
  const { value, name } = { value: '', name: undefined, ...reference }
  return `<${tag}${name === undefined ? '' : ` name="${escapeXml(String(name))}"`}>${escapeXml(String(value))}</${tag}>`
}
