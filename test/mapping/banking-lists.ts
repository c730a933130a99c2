import { existsSync, readFileSync } from 'node:fs'

/** A source's names for a kind of account, group first. */
export type Words = readonly [group: string, kind: string | null]

const SPECS = new URL('../../../shared/specs/banking/', import.meta.url)

/** A provider's own document, kept outside the repository; null if it is missing. */
function readDocument(name: string): string | null {
  const file = new URL(name, SPECS)
  return existsSync(file) ? readFileSync(file, 'utf8') : null
}

const from = (group: string, kinds: string): Words[] => kinds.split(' ').map((kind) => [group, kind === '-' ? null : kind])

/** Account types and subtypes of Plaid's OpenAPI document; `all` is only a filter value. */
export function listPlaid(): readonly Words[] | null {
  const text = readDocument('plaid-2020-09-14.yml')
  if (text === null) return null
  const groups = [
    ['depository', 'DepositoryAccountSubtype'],
    ['credit', 'CreditAccountSubtype'],
    ['loan', 'LoanAccountSubtype'],
    ['investment', 'InvestmentAccountSubtype'],
  ] as const
  return groups.flatMap(([group, schema]) => {
    const at = text.indexOf(`\n    ${schema}:\n`)
    const words = /enum:\n((?:\s+- .+\n)+)/.exec(text.slice(at, at + 4000))?.[1] ?? ''
    return [...words.matchAll(/- "?(.+?)"?\n/g)].flatMap(([, word]) => (word && word !== 'all' ? [[group, word] as const] : []))
  })
}

/** Containers and account types of Yodlee's document, of all three generations. */
export function listYodlee(): readonly Words[] | null {
  const text = readDocument('yodlee-core-1.1-swagger.yaml')
  if (text === null) return null
  const at = text.indexOf('<b>Aggregated Account Type</b>')
  const list = text.slice(at, text.indexOf('<b>Manual Account Type</b>', at))
  const seen = new Set<string>()
  return [...list.matchAll(/<b>(\w+)(?: \(SN [\d.]+\))?<\/b><ul>(.+?)<\/ul>/g)].flatMap(([, group = '', items = '']) =>
    [...items.matchAll(/<li>(\w+)<\/li>/g)].flatMap(([, kind = '']) => {
      if (seen.has(`${group}/${kind}`)) return []
      seen.add(`${group}/${kind}`)
      return [[group, kind] as const]
    }),
  )
}

/** AccountType of Finicity's document; according to it, two have another value in practice. */
export function listFinicity(): readonly Words[] | null {
  const text = readDocument('finicity-mastercard-openbanking-us.yaml')
  if (text === null) return null
  const at = text.indexOf('\n    AccountType:\n')
  const list = text.slice(at, text.indexOf('\n    ', text.indexOf('example:', at)))
  return [...list.matchAll(/\* "(\w+)":/g)].map(([, word = '']) => ['', word.replace(/^(529|457)plan$/, '$1')])
}

/** Source: https://docs.mx.com/api-reference/platform-api/reference/account-types */
export const MX: readonly Words[] = [
  ...from('CHECKING', '-'),
  ...from('CHECKING_LINE_OF_CREDIT', '-'),
  ...from('SAVINGS', '- MONEY_MARKET CERTIFICATE_OF_DEPOSIT'),
  ...from('CASH', '-'),
  ...from('PREPAID', '-'),
  ...from('CREDIT_CARD', '-'),
  ...from('LOAN', '- AUTO STUDENT SMALL_BUSINESS PERSONAL PERSONAL_WITH_COLLATERAL HOME_EQUITY BOAT POWERSPORTS RV HELOC'),
  ...from('LINE_OF_CREDIT', '- HELOC HOME_EQUITY'),
  ...from('MORTGAGE', '-'),
  ...from('INVESTMENT', '- PLAN_401_K PLAN_403_B PLAN_529 IRA ROLLOVER_IRA ROTH_IRA TAXABLE NON_TAXABLE BROKERAGE TRUST PLAN_457 PENSION'),
  ...from('INVESTMENT', 'UNIFORM_GIFTS_TO_MINORS_ACT EMPLOYEE_STOCK_OWNERSHIP_PLAN SIMPLIFIED_EMPLOYEE_PENSION SIMPLE_IRA PLAN_ROTH_401_K'),
  ...from('INVESTMENT', 'FIXED_ANNUITY VARIABLE_ANNUITY HSA TAX_FREE_SAVINGS_ACCOUNT INDIVIDUAL REGISTERED_RETIREMENT_INCOME_FUND ESTATE'),
  ...from('INVESTMENT', 'CASH_MANAGEMENT_ACCOUNT EMPLOYEE_STOCK_PURCHASE_PLAN REGISTERED_EDUCATION_SAVINGS_PLAN PROFIT_SHARING_PLAN HRA'),
  ...from('INVESTMENT', 'UNIFORM_TRANSFER_TO_MINORS_ACT PLAN_401_A SARSEP_IRA FIXED_ANNUITY_TRADITIONAL_IRA SEPP_IRA COVERDELL EXECUTOR'),
  ...from('INVESTMENT', 'VARIABLE_ANNUITY_TRADITIONAL_IRA INHERITED_TRADITIONAL_IRA FIXED_ANNUITY_ROTH_IRA VARIABLE_ANNUITY_ROTH_IRA'),
  ...from('INVESTMENT', 'INHERITED_ROTH_IRA ADVISORY_ACCOUNT BROKERAGE_MARGIN CHARITABLE_GIFT_ACCOUNT CHURCH_ACCOUNT CONSERVATORSHIP'),
  ...from(
    'INVESTMENT',
    'CUSTODIAL DEFINED_BENEFIT_PLAN DEFINED_CONTRIBUTION_PLAN EDUCATIONAL GROUP_RETIREMENT_SAVINGS_PLAN INDEXED_ANNUITY',
  ),
  ...from('INVESTMENT', 'GUARANTEED_INVESTMENT_CERTIFICATE INVESTMENT_CLUB IRREVOCABLE_TRUST JOINT_TENANTS_BY_ENTIRITY KEOUGH_PLAN'),
  ...from('INVESTMENT', 'JOINT_TENANTS_COMMUNITY_PROPERTY JOINT_TENANTS_IN_COMMON JOINT_TENANTS_WITH_RIGHTS_OF_SURVIVORSHIP LIVING_TRUST'),
  ...from(
    'INVESTMENT',
    'LIFE_INCOME_FUND LOCKED_IN_RETIREMENT_ACCOUNT LOCKED_IN_RETIREMENT_INVESTMENT_FUND MONEY_PURCHASE_PLAN PARTNERSHIP',
  ),
  ...from('INVESTMENT', 'LOCKED_IN_RETIREMENT_SAVINGS_ACCOUNT PLAN_409_A PLAN_ROTH_403_B REGISTERED_DISABILITY_SAVINGS_PLAN SPOUSAL_IRA'),
  ...from('INVESTMENT', 'REGISTERED_LOCKED_IN_SAVINGS_PLAN REGISTERED_PENSION_PLAN REGISTERED_RETIREMENT_SAVINGS_PLAN REVOCABLE_TRUST'),
  ...from('INVESTMENT', 'ROTH_CONVERSION SOLE_PROPRIETORSHIP SPOUSAL_ROTH_IRA TESTAMENTARY_TRUST THRIFT_SAVINGS_PLAN INHERITED_ANNUITY'),
  ...from('INVESTMENT', 'CORPORATE_ACCOUNT LIMITED_LIABILITY_ACCOUNT'),
  ...from('INSURANCE', '- VEHICLE_INSURANCE DISABILITY HEALTH LONG_TERM_CARE PROPERTY_AND_CASUALTY UNIVERSAL_LIFE TERM_LIFE WHOLE_LIFE'),
  ...from('INSURANCE', 'ACCIDENTAL_DEATH_AND_DISMEMBERMENT VARIABLE_UNIVERSAL_LIFE'),
  ...from('PROPERTY', '-'),
]

/** Source: https://teller.io/docs/api/accounts */
export const TELLER: readonly Words[] = [
  ...from('depository', 'checking savings money_market certificate_of_deposit treasury sweep'),
  ...from('credit', 'credit_card'),
]

/** Source: https://docs.stripe.com/api/financial_connections/accounts/object */
export const STRIPE: readonly Words[] = [
  ...from('cash', 'checking savings other'),
  ...from('credit', 'credit_card line_of_credit mortgage other'),
  ...from('investment', 'other'),
  ...from('other', 'other'),
]

/** Source: https://plaid.com/core-exchange/docs/reference/6.4/ (accountCategory, accountType) */
export const FDX: readonly Words[] = [
  ...from('DEPOSIT_ACCOUNT', 'CHECKING SAVINGS CD ESCROW MONEYMARKET HIGHINTERESTSAVINGSACCOUNT FIRSTHOMESAVINGSACCOUNT OTHERDEPOSIT'),
  ...from('DEPOSIT_ACCOUNT', 'COMMERCIALDEPOSIT TAXFREESAVINGSACCOUNT'),
  ...from('LOAN_ACCOUNT', 'AUTOLOAN HOMEEQUITYLOAN INSTALLMENT LOAN MILITARYLOAN MORTGAGE PERSONALLOAN SMBLOAN STUDENTLOAN COMMERCIALLOAN'),
  ...from('LOC_ACCOUNT', 'LINEOFCREDIT CHARGE CREDITCARD HOMELINEOFCREDIT COMMERCIALLINEOFCREDIT'),
  ...from('COMMERCIAL_ACCOUNT', 'COMMERCIALDEPOSIT COMMERCIALINVESTMENT COMMERCIALLOAN COMMERCIALLINEOFCREDIT'),
  ...from('INVESTMENT_ACCOUNT', '401A 401K 403B 529 BROKERAGEPRODUCT COVERDELL DEFINEDBENEFIT ESOP GUARDIAN INSTITUTIONALTRUST IRA KEOGH'),
  ...from('INVESTMENT_ACCOUNT', 'NONQUALIFIEDPLAN OTHER ROLLOVER ROTH SARSEP TAXABLE TDA TERM TRUST UGMA UTMA VARIABLEANNUITY'),
  ...from(
    'INVESTMENT_ACCOUNT',
    'REGISTEREDRETIREMENTSAVINGSPLAN REGISTEREDRETIREMENTINCOMEFUND LIFEINCOMEFUND REGISTEREDEDUCATIONSAVINGSPLAN',
  ),
  ...from('INSURANCE_ACCOUNT', 'HEALTH LIFE LONGTERMCARE LONGTERMDISABILITY SHORTTERMDISABILITY UNIVERSALLIFE VEHICLEINSURANCE WHOLELIFE'),
  ...from('ANNUITY_ACCOUNT', 'FIXEDANNUITY VARIABLEANNUITY'),
  ...from('DIGITAL_WALLET', 'DIGITALWALLET'),
]

/** Source: https://docs.flinks.com (account types) */
export const FLINKS: readonly Words[] = [
  ...from('Operations', 'Chequing Savings'),
  ...from('Credits', 'CreditCard LineOfCredit Mortgage PersonalLoan Overdraft StudentLoan AutoLoan Loan'),
  ...from('Products', 'Mortgage GIC TermDeposit RRSP TFSA RESP RRIF FHSA LIRA LIF RDSP MutualFund Pension Investment'),
]

/** Source: https://jackhenry.dev/open-api-docs/consumer-api/api-reference/v0/accounts/ */
export const BANNO: readonly Words[] = [
  ...from('Deposit', 'Checking Savings CD Club HSA IRA'),
  ['Deposit', 'Money Market'],
  ...from('Debt', 'Loan Mortgage'),
  ['Debt', 'Credit Card'],
  ['Line of Credit', 'Line of Credit'],
  ...from('Investment', 'IRA Brokerage'),
]

/** ACCTTYPE, and LOANACCTTYPE. Source: OFX 2.3, sections 11.3.1.1 and 11.12 */
export const OFX: readonly Words[] = [
  ...from('bank', 'CHECKING SAVINGS MONEYMRKT CREDITLINE CD'),
  ...from('loan', 'AUTO CONSUMER MORTGAGE COMMERCIAL STUDENT MILITARY SMB CONSTR HOMEEQUITY'),
  ['card', null],
]

/** Source: https://docs.mambu.com/api/api-v2 (DepositAccount.accountType); loans have no type. */
export const MAMBU: readonly Words[] = [
  ...from('deposit', 'CURRENT_ACCOUNT REGULAR_SAVINGS FIXED_DEPOSIT SAVINGS_PLAN INVESTOR_ACCOUNT'),
  ['loan', null],
  ['loan', 'revolving'],
]

/** Source: org.apache.fineract.portfolio.savings.DepositAccountType; loans have no type. */
export const FINERACT: readonly Words[] = [...from('deposit', 'savingsDeposit fixedDeposit recurringDeposit'), ['loan', null]]

/** Source: CorePro, program/get */
export const HELIX: readonly Words[] = from('', 'checking savings prepaid')
