import type { AccountClass, AccountType } from '../../model/records/accounting.ts'

/** Rule for names of account types. */
export interface NameRule {
  pattern: RegExp
  accountClass: AccountClass
  type: AccountType
}

/**
 * Words of the type trees that Tryton ships and of charts in English, French, German, Spanish, Dutch, Portuguese and
 * Catalan, in lower case without accents. The first matching rule wins, so a specific word precedes a general one that
 * it contains.
 * Source: modules/account/minimal_chart_*.xml, account_de_skr03, account_fr, account_es and account_be of Tryton 6.0
 */
const assetRules: readonly NameRule[] = [
  asset('PREPAYMENT', /prepa|rechnungsabgrenz|constate+s? d.avance|payes? d.avance|anticipad|periodificacion/),
  asset('OTHER_ASSET', /finanzanlagen|immobilisations financi|inversiones? (financieras?|en empresas).* largo plazo/),
  asset(
    'BANK',
    /\bcash|\bbank|kassenbestand|barvermogen|\bkasse\b|guthaben|flussige mittel|liquide|disponib|encaisse|\bban(c|co|que|ques)\b|\bcaja\b|efectivo|\bkas\b|caixa/,
  ),
  asset('INVENTORY', /inventor|\bstocks?\b|vorrat|existencias|voorrad|estoque/),
  asset(
    'FIXED_ASSET',
    /fixed|propert|equipment|tangible|immobilis|anlagevermogen|sachanlagen|inmoviliz|inmobiliari|immobilizad|vaste activa/,
  ),
  asset(
    'OTHER_ASSET',
    /long.?term|non.?current|non.?courant|no corriente|long terme|largo plazo|langlopend|longo prazo|llarg termini|plus d.un an|mehr als einem jahr/,
  ),
  asset('OTHER_CURRENT_ASSET', /current|courant|court terme|umlaufvermogen|corriente|corto plazo|actueel|circulant|un an au plus/),
]

const fundingRules: readonly NameRule[] = [
  liability(
    'TAX_LIABILITY',
    /\btax|\btaxe|steuer|\btps\b|\btvq\b|\btva\b|\bvat\b|impuesto|belasting|tribut|\bimpot|\bimpost|dettes fiscales/,
  ),
  liability('CREDIT_CARD', /credit card|carte de credit|kreditkarte|tarjeta de credito/),
  liability('LONG_TERM_LIABILITY', /\bloans?\b|emprunt|hypothe|mortgage|anleihe/),
  liability('OTHER_LIABILITY', /fremdkapital|capital leas/),
  equity(
    'RETAINED_EARNINGS',
    /retained earning|non repartis|report a nouveau|benefice reporte|gewinnvortrag|ergebnisvortrag|ejercicios anteriores|acumulad/,
  ),
  equity(
    'EQUITY',
    /equity|capitaux|capital|kapital|patrimoni|eigen vermogen|fondos propios|avoir des|\brucklagen?\b|shareholder|proprietaire/,
  ),
  liability(
    'LONG_TERM_LIABILITY',
    /long.?term|non.?current|non.?courant|no corriente|long terme|largo plazo|langlopend|longo prazo|llarg termini|plus d.un an/,
  ),
  liability(
    'OTHER_CURRENT_LIABILITY',
    /current|courant|court terme|bis zu einem jahr|corriente|corto plazo|actueel|circulant|rechnungsabgrenz|un an au plus/,
  ),
  liability(
    'OTHER_LIABILITY',
    /liabilit|passif|passiv|pasivo|passiu|verbindlichkeit|ruckstellung|provision|dette|deuda|schuld|verplichting/,
  ),
]

const resultRules: readonly NameRule[] = [
  result('EXPENSE', 'DEPRECIATION', /depreciation|amortis|abschreibung|amortiz|afschrijving/),
  result(
    'EXPENSE',
    'COST_OF_GOODS_SOLD',
    /cost of (goods|sales)|cout des (ventes|marchandises)|materialaufwand|wareneinsatz|coste de (las )?ventas|achats? de (marchandises|matieres)|approvisionnements|aprovisionamientos/,
  ),
  result('EXPENSE', 'OTHER_EXPENSE', /charges (financier|exceptionnel)|gastos financieros|\bzins|au(ss|ß)erordentlich|interest|extraordin/),
  result(
    'INCOME',
    'OTHER_INCOME',
    /other income|produits (financier|exceptionnel)|ingresos financieros|\bzins|au(ss|ß)erordentlich|interest|extraordin/,
  ),
]

export const nameRules = { asset: assetRules, funding: fundingRules, result: resultRules }

/** Names of sections that hold equity and nothing else, whatever the types below them are called. */
export const equitySection =
  /\bequity\b|capitaux propres|fonds propres|eigenkapital|^kapital$|patrimonio neto|patrimoni(o liquido)?$|eigen vermogen|fondos propios|avoir des (actionnaires|proprietaires)/

/** Words for liabilities: a section named with one is not equity alone. */
export const debtWords = /liabilit|passif|passiv|pasivo|passiu|verbindlichkeit|dette|deuda|schuld|verplichting|\bloans?\b|emprunt/

/** The sides of an income statement. `neither` is a result, which holds both. */
export const resultWords = {
  income:
    /revenue|\bincome\b|\bsales\b(?! (and|&|tax|commission|salar|staff))|\bproduits?\b|\bproduction\b|ertrag|umsatz|erlos|eigenleistung|erhohung des bestands|erhaltene gewinne|ingreso|\bventas?\b|\bventes?\b|chiffre d.affaires|cifra de negocios|\breprises?\b|\bsubventions d.exploitation|\bexcesos?\b|trabajos realizados|opbrengst|inkomsten|receita|\bplus.values/,
  expense:
    /expens|expenditure|\bcosts?\b|\bcharges?\b|\bachats?\b|\bcouts?\b|aufwand|aufwendung|abschreibung|\bsteuern?\b|abgefuhrte gewinne|gasto|\bcompras\b|aprovisionamiento|\bperdidas?\b|deterioro|amortiza|amortis|depreciation|\bdotations?\b|\bimpots?\b|impuesto|\btributos?\b|\btax(es)?\b|kosten|despesa|depense|\bsalaires?\b|\bsalaries\b|\bwages\b|reductions de valeur|moins.values/,
  neither: /resultado|resultat|ergebnis|jahresuberschuss|\bresults?\b|\bprofit|benefici|(net|operating) income/,
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
