import { type Context, toGuid, toInstantText } from '../context.ts'
import type { MxInstitution } from '../data/institutions.ts'
import type { Account, Member, Transaction, User } from '../state.ts'

type View = Record<string, unknown>

const ACCOUNT_FIELDS = [
  ...['account_number', 'apr', 'apy', 'available_balance', 'available_credit', 'cash_balance', 'credit_limit', 'currency_code'],
  ...['day_payment_is_due', 'interest_rate', 'last_payment', 'last_payment_at', 'loan_amount', 'matures_on', 'metadata'],
  ...['minimum_balance', 'minimum_payment', 'name', 'nickname', 'original_balance', 'payment_due_at', 'payoff_balance'],
  ...['routing_number', 'started_on', 'statement_balance', 'subtype', 'type'],
]

/** Response formats of MX. Source: components/schemas of https://github.com/mxenabled/openapi (v20250224) */
export function toUserView({ guid, id, email }: User): View {
  return { guid, id, ...(email === null ? {} : { email }), is_disabled: false, metadata: null }
}

export function toInstitutionView({ code, name, country, url, isHidden, isDisabled }: MxInstitution): View {
  return {
    code,
    guid: toGuid('INS', code),
    created_at: '2024-03-01T12:00:00Z',
    forgot_password_url: null,
    forgot_username_url: null,
    instructional_text: null,
    instructional_text_steps: [],
    is_disabled_by_client: isDisabled,
    is_hidden: isHidden,
    iso_country_code: country,
    medium_logo_url: null,
    name,
    small_logo_url: null,
    supported_products: ['account_verification', 'identity_verification', 'transactions', 'statements'],
    supports_oauth: false,
    supports_tax_document: false,
    trouble_signing_in_url: null,
    url,
  }
}

export function toMemberView(context: Context, member: Member): View {
  const bank = context.directory.find(({ code }) => code === member.institutionCode)
  return {
    aggregated_at: toInstantText(member.aggregatedAt),
    background_aggregation_is_disabled: false,
    connection_status: member.status,
    connection_status_message: null,
    guid: member.guid,
    id: null,
    institution_code: member.institutionCode,
    institution_guid: toGuid('INS', member.institutionCode),
    is_being_aggregated: member.busyUntil !== null,
    is_managed_by_user: true,
    is_manual: false,
    is_oauth: false,
    metadata: null,
    most_recent_job_guid: toGuid('JOB', member.guid, member.aggregatedAt),
    name: bank?.name ?? null,
    needs_updated_credentials: member.needsCredentials,
    oauth_window_uri: null,
    successfully_aggregated_at: toInstantText(member.succeededAt),
    use_cases: ['PFM'],
    user_guid: member.userGuid,
    user_id: context.state.users[member.userGuid]?.id ?? null,
  }
}

export function toStatusView(member: Member): View {
  return {
    aggregated_at: toInstantText(member.aggregatedAt),
    challenges: [],
    connection_status: member.status,
    guid: member.guid,
    has_processed_account_numbers: false,
    has_processed_accounts: member.succeededAt !== null,
    has_processed_transactions: member.succeededAt !== null,
    is_authenticated: member.status === 'CONNECTED',
    is_being_aggregated: member.busyUntil !== null,
    successfully_aggregated_at: toInstantText(member.succeededAt),
  }
}

export function toAccountView(context: Context, member: Member, account: Account): View {
  return {
    ...Object.fromEntries(ACCOUNT_FIELDS.map((name) => [name, null])),
    account_ownership: 'UNKNOWN',
    balance: account.balanceCents === null ? null : account.balanceCents / 100,
    created_at: toInstantText(account.updatedAt),
    federal_insurance_status: 'UNKNOWN_INSURED',
    guid: account.guid,
    id: account.guid.toLowerCase(),
    imported_at: toInstantText(member.succeededAt),
    institution_code: member.institutionCode,
    is_closed: false,
    is_hidden: false,
    is_manual: false,
    member_guid: member.guid,
    member_id: null,
    member_is_managed_by_user: true,
    updated_at: toInstantText(account.updatedAt),
    user_guid: member.userGuid,
    user_id: context.state.users[member.userGuid]?.id ?? null,
    ...account.fields,
  }
}

export function toTransactionView(context: Context, member: Member, transaction: Transaction): View {
  const account = member.accounts.find(({ guid }) => guid === transaction.accountGuid)
  const at = `${transaction.day}T12:00:00Z`
  return {
    account_guid: transaction.accountGuid,
    account_id: transaction.accountGuid.toLowerCase(),
    amount: transaction.cents / 100,
    category: transaction.category,
    category_guid: toGuid('CAT', transaction.category),
    check_number_string: null,
    created_at: toInstantText(transaction.updatedAt),
    currency_code: account?.fields.currency_code ?? null,
    date: transaction.day,
    description: transaction.merchant,
    extended_transaction_type: null,
    guid: transaction.guid,
    id: transaction.guid.toLowerCase(),
    is_bill_pay: false,
    is_direct_deposit: false,
    is_expense: !transaction.isCredit,
    is_fee: false,
    is_income: transaction.isCredit,
    is_international: false,
    is_manual: false,
    is_overdraft_fee: false,
    is_payroll_advance: false,
    is_subscription: false,
    latitude: null,
    longitude: null,
    member_guid: member.guid,
    member_is_managed_by_user: true,
    memo: null,
    merchant_category_code: null,
    merchant_guid: null,
    metadata: null,
    original_description: transaction.words,
    posted_at: transaction.isPending ? null : at,
    status: transaction.isPending ? 'PENDING' : 'POSTED',
    top_level_category: transaction.category,
    transacted_at: at,
    type: transaction.isCredit ? 'CREDIT' : 'DEBIT',
    updated_at: toInstantText(transaction.updatedAt),
    user_guid: member.userGuid,
    user_id: context.state.users[member.userGuid]?.id ?? null,
  }
}
