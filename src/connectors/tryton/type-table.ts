import type { AccountClass, AccountType } from '../../model/accounting.ts'
import { flagRows, type TypeTable, type WordRow } from '../type-table.ts'
import type { TypeWire } from './wire.ts'

/** What the name of a type says, where the flags of Tryton say nothing. */
interface NameRule {
  pattern: RegExp
  accountClass: AccountClass
  type: AccountType
}

/**
 * Words of the type trees that Tryton ships and of charts in English, French, German, Spanish, Dutch, Portuguese and Catalan, without
 * accents. The first rule that fits wins. Source: modules/account/minimal_chart_*.xml, account_de_skr03/account_de.xml
 */
const assetRules: readonly NameRule[] = [
  asset('PREPAYMENT', /prepa|rechnungsabgrenz|constatees? d.avance|payes? d.avance|anticipad/),
  asset('BANK', /\bcash|\bbank|kasse|guthaben|flussige mittel|liquide|tresorerie|disponib|encaisse|banque|\bcaja\b|efectivo|\bkas\b|caixa/),
  asset('INVENTORY', /inventor|\bstocks?\b|vorrat|existencias|voorrad|estoque/),
  asset('FIXED_ASSET', /fixed|propert|equipment|tangible|immobilis|anlagevermogen|sachanlagen|inmoviliz|immobilizad|vaste activa/),
  asset('OTHER_ASSET', /long.?term|long terme|largo plazo|langlopend|longo prazo|llarg termini|finanzanlagen/),
  asset('OTHER_CURRENT_ASSET', /current|courant|court terme|umlaufvermogen|corriente|actueel|circulante/),
]

const fundingRules: readonly NameRule[] = [
  liability('TAX_LIABILITY', /\btax|\btaxe|steuer|\btps\b|\btvq\b|\btva\b|\bvat\b|impuesto|belasting|tribut|\bimpost/),
  liability('CREDIT_CARD', /credit card|carte de credit|kreditkarte|tarjeta de credito/),
  liability('LONG_TERM_LIABILITY', /\bloans?\b|emprunt|hypothe|mortgage|anleihe/),
  liability('OTHER_LIABILITY', /fremdkapital/),
  equity('RETAINED_EARNINGS', /retained earning|non repartis|report a nouveau|gewinnvortrag|ergebnisvortrag|acumulad/),
  equity(
    'EQUITY',
    /equity|capitaux|capital|kapital|patrimoni|eigen vermogen|fondos propios|avoir des|\brucklagen?\b|shareholder|proprietaire/,
  ),
  liability('LONG_TERM_LIABILITY', /long.?term|long terme|largo plazo|langlopend|longo prazo|llarg termini/),
  liability('OTHER_CURRENT_LIABILITY', /current|courant|court terme|bis zu einem jahr|corriente|actueel|circulante|rechnungsabgrenz/),
  liability('OTHER_LIABILITY', /liabilit|passif|passiv|pasivo|passiu|verbindlichkeit|ruckstellung|dette|schuld|verplichting/),
]

const resultRules: readonly NameRule[] = [
  result('EXPENSE', 'DEPRECIATION', /depreciation|amortis|abschreibung|amortiz|afschrijving/),
  result(
    'EXPENSE',
    'COST_OF_GOODS_SOLD',
    /cost of (goods|sales)|cout des (ventes|marchandises)|materialaufwand|wareneinsatz|coste de (las )?ventas/,
  ),
  result('INCOME', 'INCOME', /revenue|produit|ertrag|umsatz|erlos|ingreso|opbrengst|receita/),
  result('EXPENSE', 'EXPENSE', /expense|charge|aufwand|aufwendung|gasto|kosten|despesa|steuern|depense/),
]

export const nameRules = { asset: assetRules, funding: fundingRules, result: resultRules }

/** The first wanted rule for the type itself, else for its nearest parent; null when no name is known. */
export function findNameRule(
  typePath: readonly TypeWire[],
  rules: readonly NameRule[],
  isWanted: (rule: NameRule) => boolean = () => true,
): NameRule | null {
  const wanted = rules.filter(isWanted)
  for (const type of typePath) {
    const name = withoutAccents(type.name).toLowerCase()
    const rule = wanted.find(({ pattern }) => pattern.test(name))
    if (rule) return rule
  }
  return null
}

/** What a name adds to a class that is known: the plain default of the class is no find, so that a parent may say more. */
export function findTypeByName(typePath: readonly TypeWire[], accountClass: AccountClass, plain: AccountType): AccountType {
  const rules = accountClass === 'ASSET' ? nameRules.asset : accountClass === 'EXPENSE' ? nameRules.result : nameRules.funding
  return findNameRule(typePath, rules, (rule) => rule.accountClass === accountClass && rule.type !== plain)?.type ?? plain
}

function withoutAccents(text: string): string {
  return text.normalize('NFD').replace(/\p{Mn}/gu, '')
}

function asset(type: AccountType, pattern: RegExp): NameRule {
  return { pattern, accountClass: 'ASSET', type }
}

function liability(type: AccountType, pattern: RegExp): NameRule {
  return { pattern, accountClass: 'LIABILITY', type }
}

function equity(type: AccountType, pattern: RegExp): NameRule {
  return { pattern, accountClass: 'EQUITY', type }
}

function result(accountClass: AccountClass, type: AccountType, pattern: RegExp): NameRule {
  return { pattern, accountClass, type }
}

/** A type with some of its flags set, as an account that may take postings has it. */
function flagged(statement: string, ...flags: string[]): WordRow {
  const none = { assets: false, receivable: false, stock: false, payable: false, debt: false, revenue: false, expense: false }
  const type = { id: 1, name: '', statement, parent: null, ...none, ...Object.fromEntries(flags.map((flag) => [flag, true])) }
  const wire = { id: 1, type: 1, active: true, closed: false, typePath: [type] }
  return { group: 'Flags of the type', words: { statement, flags: flags.join(', ') }, means: { wire } }
}

export const typeTable: TypeTable = {
  rows: [
    ...[['assets'], ['assets', 'receivable'], ['assets', 'stock'], ['payable'], ['debt']].map((flags) => flagged('balance', ...flags)),
    ...[['revenue'], ['expense'], ['stock']].map((flags) => flagged('income', ...flags)),
    flagged('off-balance'),
    { group: 'View accounts', words: { type: 'none' }, means: { wire: { id: 1, type: null, active: true, closed: false, typePath: [] } } },
    ...Object.entries(nameRules).flatMap(([side, rules]) =>
      rules.map(({ pattern, accountClass, type }) => ({
        group: `Names of types where the flags leave it open: ${side}`,
        words: { name: `/${pattern.source}/` },
        means: { class: accountClass, type },
      })),
    ),
    ...flagRows('active', (active) => ({ active, closed: false, type: null, typePath: [] })),
  ],
  rules: [
    'The flags of Tryton decide; liability and equity are told apart by the names of the types only, that of the type itself before those of its parents, without accents and in small letters.',
    'A type of the balance sheet that no flag and no name tells is a liability, and is counted.',
    'An account that is closed, and not only a view, is ARCHIVED.',
  ],
}
