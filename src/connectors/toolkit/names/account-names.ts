import type { AccountType } from '../../../model/records/accounting.ts'

/** Refinement of an account's known type by its name. The type stays in the class of the one it refines. */
export interface NameFinding {
  type?: AccountType
  subType?: string
}

interface NameRule extends NameFinding {
  pattern: RegExp
}

/**
 * Specific phrases are in the first list of a type, single words in the second, which is used when no phrase matches.
 */
type Rules = readonly [phrases: readonly NameRule[], words: readonly NameRule[]]

const interest = /\binterest\b|\binterets?\b/
const salesTax = /\b(gst|hst|qst|pst|rst|vat|tps|tvq|tvh|tva|sales tax(es)?|taxes? de vente)\b/
const currencyGain =
  /(currency|exchange) (gains?|loss(es)?|difference)|foreign exchange|(gains?|pertes?|ecarts?|differences?).{0,14} (de|sur) change/
const wages = /\bwages?\b|\bsalar(y|ies)\b|\bpayroll\b|\bsalaires?\b|\bpaie\b|superannuation/
const ofShareholder =
  /(shareholder|director|owner|stockholder)['’]?s?['’]? (current account|loans?)|(loans?|advances?|due|payable) (from|to) (a |the )?(shareholder|director|owner|stockholder)|(du|prets?|avances?|emprunts?) .{0,6}(actionnaire|administrateur)/

const expense: Rules = [
  [
    {
      pattern:
        /employment insurance|assurance.emploi|workers['’]? comp|(payroll|employer).{0,12} (tax|cpp|ei\b|contribution)|charges sociales|avantages sociaux|employee benefits?/,
      subType: 'PAYROLL',
    },
    { pattern: /interest .*tax|tax penalt/ },
    { pattern: /(accounting|legal) software|logiciel/ },
    { pattern: /depreciation|amorti[sz]ation|amortissements?/, type: 'DEPRECIATION' },
  ],
  [
    { pattern: wages, subType: 'PAYROLL' },
    { pattern: /\brents?\b|\bloyers?\b/, subType: 'RENT' },
    { pattern: /\binsurance\b|\bassurances?\b/, subType: 'INSURANCE' },
    {
      pattern:
        /\blegal\b|\blawyers?\b|\battorneys?\b|\baccounting\b|\baccountan(t|ts|cy)\b|\baudit\b|bookkeeping|consulting|professional fees|honoraires|juridiques?|^comptabilite$|tenue de (livres|comptabilite)|(frais|services?) (de )?comptab/,
      subType: 'PROFESSIONAL_FEES',
    },
    { pattern: /\btravel(l?ing)?\b|\baccommodations?\b|\bhotels?\b|\bhebergement\b|\bdeplacements?\b|\bvoyages?\b/, subType: 'TRAVEL' },
    { pattern: /\bmeals?\b|\brepas\b/, subType: 'MEALS' },
    { pattern: /advertis|\bmarketing\b|\bpublicite\b/, subType: 'MARKETING' },
    { pattern: /\butilities\b|\belectricity\b|\bhydro\b|light, power|\bheating\b|electricite|chauffage/, subType: 'UTILITIES' },
    {
      pattern: /bank.{0,9} (fees?|charges?)|(merchant|card|paypal|stripe).{0,12} fees?|frais (de banque|bancaires?)/,
      subType: 'BANK_FEES',
    },
    { pattern: interest, subType: 'INTEREST_EXPENSE' },
    { pattern: /(income|corporat(e|ion)|property) tax|impots? sur (le|les) (revenu|benefice)|taxes? fonciere/, subType: 'TAX_EXPENSE' },
    { pattern: /\bbad debts?\b|creances? (douteuses?|irrecouvrables?)|mauvaises creances/, subType: 'BAD_DEBT' },
    { pattern: currencyGain, subType: 'FX_GAIN_LOSS' },
  ],
]

const income: Rules = [
  [
    { pattern: /\bsubsid(y|ies)\b|\bsubsides?\b|\bsubventions?\b|\bgrants?\b/ },
    { pattern: /sales discount|discounts? (given|allowed)|(escomptes?|rabais) (accordes?|sur (les )?ventes)/, subType: 'DISCOUNTS' },
  ],
  [
    { pattern: interest, type: 'OTHER_INCOME', subType: 'INTEREST_INCOME' },
    {
      pattern: /^(product |retail |online )?sales( revenue)?$|sales of products?|^ventes$|ventes de (produits|marchandises)/,
      subType: 'SALES',
    },
    {
      pattern:
        /^services?( revenue| income)?$|service (fees?|revenue|income)|consulting income|fees earned|(?<!ventes et )prestations? de services?\b(?! en cours)/,
      subType: 'SERVICES',
    },
    { pattern: currencyGain, subType: 'FX_GAIN_LOSS' },
  ],
]

const otherIncome: Rules = [
  [{ pattern: /\bsubsid(y|ies)\b|\bsubsides?\b|\bsubventions?\b|\bgrants?\b/ }],
  [
    { pattern: interest, subType: 'INTEREST_INCOME' },
    { pattern: currencyGain, subType: 'FX_GAIN_LOSS' },
  ],
]

const currentAsset: Rules = [
  [
    { pattern: /allowance for (doubtful|bad)|provision pour (creances|mauvaises)/, subType: 'ALLOWANCE_FOR_BAD_DEBT' },
    { pattern: /\bprepa(id|yments?)\b|paye?e?s? d.avance/, type: 'PREPAYMENT' },
  ],
  [
    { pattern: /^(inventory|stock)( asset| on hand)?$|^stocks$|^inventaires?$/, type: 'INVENTORY' },
    { pattern: /undeposited funds|fonds non deposes/, subType: 'UNDEPOSITED_FUNDS' },
    { pattern: /(employee|staff) (cash )?advances?|avances? aux employes/, subType: 'EMPLOYEE_ADVANCE' },
    { pattern: /loans? (to|receivable)\b|\bprets? (aux?|a) /, subType: 'LOAN_RECEIVABLE' },
    { pattern: salesTax, subType: 'SALES_TAX' },
  ],
]

const fixedAsset: Rules = [
  [{ pattern: /accum(ulated|\.)? (depreciation|amorti[sz]ation)|amortissements? cumules?/, subType: 'ACCUMULATED_DEPRECIATION' }],
  [
    { pattern: /^land\b(?! improvement)|^terrains?$/, subType: 'LAND' },
    { pattern: /\bbuildings?\b(?! improvement)|\bbatiments?\b/, subType: 'BUILDINGS' },
    { pattern: /\bvehicles?\b|\bautomobiles?\b|\bvehicules?\b|\btrucks?\b|\bcamions?\b/, subType: 'VEHICLES' },
    {
      pattern: /\bequipment\b|\bmachinery\b|\bfurniture\b|\bcomputers?\b|\bequipements?\b|\bmobilier\b|\bordinateurs?\b/,
      subType: 'EQUIPMENT',
    },
    { pattern: /\bgoodwill\b|\bachalandage\b/, subType: 'GOODWILL' },
    { pattern: /\bintangibles?\b|\bpatents?\b|\btrademarks?\b|\bbrevets?\b|\bincorporel/, subType: 'INTANGIBLE' },
  ],
]

const otherAsset: Rules = [
  fixedAsset[0],
  [
    { pattern: /\bgoodwill\b|\bachalandage\b/, subType: 'GOODWILL' },
    { pattern: /(security|lease|rent) deposits?|depots? de garantie/, subType: 'SECURITY_DEPOSIT' },
    { pattern: /\bintangibles?\b|\bpatents?\b|\btrademarks?\b|\bbrevets?\b|\bincorporel/, subType: 'INTANGIBLE' },
    { pattern: /^(long.term )?investments?$|^placements?( a long terme)?$/, subType: 'INVESTMENT' },
  ],
]

const loans: readonly NameRule[] = [
  { pattern: ofShareholder, subType: 'SHAREHOLDER_LOAN' },
  { pattern: /line of credit|operating line|marge de credit/, subType: 'LINE_OF_CREDIT' },
]

const currentLiability: Rules = [
  [
    ...loans,
    {
      pattern:
        /(employee|staff) (tax|benefit|deduction)|source deductions?|vacation pay|taxe?s? withheld|(retenues|deductions) a la source|\bvacances\b|payroll/,
      subType: 'PAYROLL_LIABILITY',
    },
  ],
  [
    { pattern: wages, subType: 'PAYROLL_LIABILITY' },
    { pattern: salesTax, type: 'TAX_LIABILITY', subType: 'SALES_TAX' },
    {
      pattern: /(income|corporat(e|ion)) tax|impots? (sur (le|les) (revenu|benefice)|a payer)/,
      type: 'TAX_LIABILITY',
      subType: 'INCOME_TAX',
    },
    {
      pattern:
        /deferred (revenue|income)|(revenue|income) (received )?in advance|unearned|revenus? (reportes?|percus? d.avance)|produits? (constates?|percus?) d.avance/,
      subType: 'DEFERRED_REVENUE',
    },
    { pattern: /^tax(es)? payable$|^taxes a payer$/, type: 'TAX_LIABILITY' },
    { pattern: /customer (deposits?|prepayments?)|depots? (de|des) clients?/, subType: 'CUSTOMER_DEPOSIT' },
    { pattern: /\bloans?\b|\bemprunts?\b|\bmortgages?\b|\bhypotheques?\b/, subType: 'LOAN' },
    { pattern: /^suspense\b|compte d.attente/, subType: 'SUSPENSE' },
  ],
]

const longTermLiability: Rules = [
  loans,
  [
    { pattern: /\bloans?\b|\bemprunts?\b|\bmortgages?\b|\bhypotheques?\b|notes? payable/, subType: 'LOAN' },
    {
      pattern: /\b(finance|capital|equipment|vehicle) leases?\b|lease (liabilit|obligation)|location.financement|credit.bail/,
      subType: 'LEASE',
    },
  ],
]

const equity: Rules = [
  [
    { pattern: /opening balance|solde d.ouverture/, subType: 'OPENING_BALANCE_EQUITY' },
    { pattern: /\bdividende?s?\b/, subType: 'DIVIDENDS' },
  ],
  [
    { pattern: /retained earnings|benefices? non repartis?/, type: 'RETAINED_EARNINGS' },
    {
      pattern: /(common|preferred|preference|ordinary) (shares?|stock)|share capital|capital.actions|actions (ordinaires|privilegiees)/,
      subType: 'SHARE_CAPITAL',
    },
    { pattern: /owner['’]?s?['’]? |\bdrawings?\b|apports? du proprietaire|retraits? du proprietaire/, subType: 'OWNERS_EQUITY' },
  ],
]

const bank: Rules = [
  [{ pattern: /petty cash|cash on hand|petite caisse/, subType: 'CASH' }],
  [
    { pattern: /\bpaypal\b/, subType: 'PAYPAL' },
    { pattern: /\bsavings?\b|\bepargne\b/, subType: 'SAVINGS' },
    { pattern: /\bchequing\b|\bchecking\b|\bcheque account|^cheques$|\bcomptes? (de |bancaire )?cheques\b/, subType: 'CHECKING' },
  ],
]

const RULES: Partial<Record<AccountType, Rules>> = {
  BANK: bank,
  OTHER_CURRENT_ASSET: currentAsset,
  FIXED_ASSET: fixedAsset,
  OTHER_ASSET: otherAsset,
  OTHER_CURRENT_LIABILITY: currentLiability,
  OTHER_LIABILITY: longTermLiability,
  LONG_TERM_LIABILITY: longTermLiability,
  EQUITY: equity,
  INCOME: income,
  OTHER_INCOME: otherIncome,
  EXPENSE: expense,
  OTHER_EXPENSE: expense,
}

/** Type and sub type, refined by the name. A sub type from the source's own values stays, and so does its type. */
export function refineByName(told: NameFinding & { type: AccountType }, name: string | undefined): { type: AccountType; subType: string } {
  if (told.subType) return { type: told.type, subType: told.subType }
  const found = findByName(name ?? '', told.type)
  return { type: found?.type ?? told.type, subType: found?.subType ?? '' }
}

/**
 * Refinement of a type by the name of an account, in English or French. Only words with a single meaning under that
 * type are known, and a name with words of two meanings (travel and meals) yields nothing: null is not an error, sub
 * types are an open enum.
 */
export function findByName(name: string, type: AccountType): NameFinding | null {
  const plain = name
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase()
    .trim()
  for (const rules of RULES[type] ?? []) {
    const found = rules.filter(({ pattern }) => pattern.test(plain))
    const [first] = found
    if (first === undefined) continue
    return found.every((rule) => rule.subType === first.subType && rule.type === first.type) ? first : null
  }
  return null
}
