/** A row as returned by `pg`: numeric as text, timestamps as `Date`. */
export interface AccountRow {
  [column: string]: unknown
}

/**
 * Columns by field. Written by hand, as in a typical server; fields added later are omitted, so that figures stay
 * comparable.
 */
const TEXTS = {
  origId: 'orig_id',
  providerName: 'provider_name',
  accountName: 'account_name',
  accountNumber: 'account_number',
  accountStatusSystem: 'account_status_system',
  userAccountClassification: 'user_account_classification',
  typeSystem: 'type_system',
  subTypeSystem: 'sub_type_system',
  subTypeSystemDisplayName: 'sub_type_system_display_name',
  lender: 'lender',
  currency: 'currency',
}
const NUMBERS = {
  interestRate: 'interest_rate',
  availableCredit: 'available_credit',
  maturityAmount: 'maturity_amount',
  minimumAmountDue: 'minimum_amount_due',
  totalCreditLine: 'total_credit_line',
  originalLoanAmount: 'original_loan_amount',
  amountDue: 'amount_due',
  principalBalance: 'principal_balance',
  actualBalance: 'actual_balance',
}
const INSTANTS = {
  dueDate: 'due_date',
  maturityDate: 'maturity_date',
  actualBalanceDate: 'actual_balance_date',
  sourceUpdatedDate: 'source_updated_date',
}

const COLUMNS = [...Object.values(TEXTS), ...Object.values(NUMBERS), ...Object.values(INSTANTS), 'last_updated_on']

/** Table of the Express server, filled with the records that ours has published. */
export const CREATE_ACCOUNTS = `
  create table plain_accounts as
  select instance_id, company_id, id, sort_key,
    ${Object.entries(TEXTS)
      .map(([field, column]) => `doc::json ->> '${field}' as ${column}`)
      .join(', ')},
    ${Object.entries(NUMBERS)
      .map(([field, column]) => `(doc::json ->> '${field}')::numeric as ${column}`)
      .join(', ')},
    ${Object.entries(INSTANTS)
      .map(([field, column]) => `(doc::json ->> '${field}')::timestamptz as ${column}`)
      .join(', ')},
    ((doc::json ->> 'lastUpdatedOn') || 'Z')::timestamptz as last_updated_on
  from record_versions where entity = 'Accounts' and valid_to is null and not deleted`

export const INDEX_ACCOUNTS = 'create index on plain_accounts (instance_id, company_id, sort_key, id)'

export const LIST_ACCOUNTS = `select ${COLUMNS.join(', ')} from plain_accounts
  where instance_id = $1 and company_id = $2 order by sort_key, id limit $3 offset $4`

export function toAccount(row: AccountRow) {
  return {
    lastUpdatedOn: toText(row.last_updated_on)?.slice(0, -1),
    origId: row.orig_id,
    providerName: row.provider_name,
    accountName: row.account_name,
    accountNumber: row.account_number,
    accountStatusSystem: row.account_status_system,
    userAccountClassification: row.user_account_classification,
    typeSystem: row.type_system,
    subTypeSystem: row.sub_type_system,
    subTypeSystemDisplayName: row.sub_type_system_display_name,
    interestRate: toNumber(row.interest_rate),
    availableCredit: toNumber(row.available_credit),
    dueDate: toText(row.due_date),
    maturityAmount: toNumber(row.maturity_amount),
    maturityDate: toText(row.maturity_date),
    minimumAmountDue: toNumber(row.minimum_amount_due),
    totalCreditLine: toNumber(row.total_credit_line),
    originalLoanAmount: toNumber(row.original_loan_amount),
    lender: row.lender,
    amountDue: toNumber(row.amount_due),
    principalBalance: toNumber(row.principal_balance),
    currency: row.currency,
    actualBalance: toNumber(row.actual_balance),
    actualBalanceDate: toText(row.actual_balance_date),
    sourceUpdatedDate: toText(row.source_updated_date),
  }
}

function toNumber(value: unknown): number | null {
  return value === null ? null : Number(value)
}

function toText(value: unknown): string | null {
  return value instanceof Date ? value.toISOString() : null
}
