export type Commodity = 'CAD' | 'USD'

/** `mantissa` × 10^-`places`. */
export interface Amount {
  commodity: Commodity
  mantissa: number
  places: number
}

export interface Posting {
  account: string
  amount: Amount
  /** Cost in another commodity: per unit, or in total (then with the sign of the amount, as in 1.25). */
  cost?: { kind: 'UnitPrice' | 'TotalPrice'; amount: Amount } | undefined
  comment?: string
  /** Written in parentheses; not balanced by other postings. */
  isVirtual?: boolean
}

export interface Entry {
  date: string
  status: 'Unmarked' | 'Pending' | 'Cleared'
  code: string
  description: string
  postings: Posting[]
}

const CHEQUING = 'actifs:banque:compte chèques Caisse du Plateau'
const DOLLARS = 'actifs:banque:compte en dollars américains'
const ONLINE = 'actifs:à recevoir:paiements en ligne'
const VISA = 'passifs:carte Visa'
const POTTERY = 'passifs:fournisseurs:Atelier Grès & Émail'
const PAPER = 'passifs:fournisseurs:Papeterie Côté'
const GALLERY = 'actifs:clients:Galerie Saint-Viateur'
const MUSEUM = "actifs:clients:Musée de l'Estuaire"
const DEDUCTIONS = 'passifs:retenues à la source'

/** Amounts that vary by month, in cents, before taxes. */
const MONTHS = [
  { month: '2026-01', ceramics: 842_150, stationery: 316_480, shipping: 61_275, wholesale: 184_000, bought: 298_500, ads: 42_310 },
  { month: '2026-02', ceramics: 961_390, stationery: 284_915, shipping: 58_140, wholesale: 96_500, bought: 341_225, ads: 58_875 },
  { month: '2026-03', ceramics: 718_045, stationery: 352_760, shipping: 54_990, wholesale: 221_750, bought: 276_940, ads: 39_995 },
  { month: '2026-04', ceramics: 803_620, stationery: 401_335, shipping: 66_415, wholesale: 143_280, bought: 312_080, ads: 47_640 },
  { month: '2026-05', ceramics: 1_124_705, stationery: 388_150, shipping: 79_860, wholesale: 205_915, bought: 405_310, ads: 71_225 },
]
type Month = (typeof MONTHS)[number]

/** Entries in order of date; each sums to zero at cost. */
export function listEntries(): Entry[] {
  const entries = [...MONTHS.flatMap(monthOf), ...oneOffs()]
  return entries.sort((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : 0))
}

function monthOf(m: Month, index: number): Entry[] {
  const number = 410 + index
  const sold = m.ceramics + m.stationery + m.shipping
  const charged = withTaxes(sold)
  const fees = Math.round(charged * 0.029)
  const supplier = index % 2 === 0 ? POTTERY : PAPER
  const customer = index % 2 === 0 ? GALLERY : MUSEUM
  const owed = withTaxes(m.bought)
  const isLast = index === MONTHS.length - 1
  const [, supplierName = ''] = /([^:]+)$/.exec(supplier) ?? []
  const [, customerName = ''] = /([^:]+)$/.exec(customer) ?? []
  const on = (day: string, code: string, description: string, postings: Posting[]) =>
    entry(`${m.month}-${day}`, code, description, postings)
  return [
    on('02', '', "Immeubles Marconi | loyer de l'atelier", [
      cad("dépenses:loyer de l'atelier", 145_000),
      ...recover(145_000),
      cad(CHEQUING, -withTaxes(145_000)),
    ]),
    on('04', `FA-${number}`, `${supplierName} | réassort`, [
      cad(supplier === POTTERY ? 'actifs:stocks:céramiques' : 'actifs:stocks:papeterie', m.bought),
      ...recover(m.bought),
      cad(supplier, -owed),
    ]),
    on('09', '', 'Postes Laurentides | étiquettes de la quinzaine', [
      cad('dépenses:expédition', m.shipping),
      ...recover(m.shipping),
      cad(VISA, -withTaxes(m.shipping)),
    ]),
    on('11', '', 'Réclame Boréale | campagne en ligne', [
      cad('dépenses:publicité', m.ads),
      ...recover(m.ads),
      cad(VISA, -withTaxes(m.ads)),
    ]),
    on('15', `PAIE-${index + 1}`, 'Paie | Océane Bélanger', [
      cad('dépenses:salaires', 312_000),
      cad('dépenses:charges sociales', 38_415),
      cad(DEDUCTIONS, -109_870),
      cad(CHEQUING, -240_545),
    ]),
    on('18', `V-${number}`, `${supplierName} | paiement`, [cad(supplier, owed), cad(CHEQUING, -owed)]),
    on('20', `C-${number}`, `${customerName} | commande en gros`, [
      cad(customer, withTaxes(m.wholesale)),
      cad('revenus:gros', -m.wholesale),
      ...collect(m.wholesale),
    ]),
    on('24', '', 'Visa | paiement du relevé', [
      cad(VISA, withTaxes(m.shipping) + withTaxes(m.ads)),
      cad(CHEQUING, -withTaxes(m.shipping) - withTaxes(m.ads)),
    ]),
    on('28', `B-${m.month}`, 'Ventes de la boutique', [
      cad(ONLINE, charged - fees),
      cad('dépenses:frais de paiement', fees),
      cad('revenus:boutique en ligne:céramiques', -m.ceramics),
      cad('revenus:boutique en ligne:papeterie', -m.stationery),
      cad('revenus:boutique en ligne:frais de livraison', -m.shipping),
      ...collect(sold),
    ]),
    {
      ...on('28', '', 'Versement des paiements en ligne', [cad(CHEQUING, charged - fees), cad(ONLINE, fees - charged)]),
      status: isLast ? 'Pending' : 'Cleared',
    },
    {
      ...on('28', `C-${number}`, `${customerName} | encaissement`, [
        cad(CHEQUING, withTaxes(m.wholesale)),
        cad(customer, -withTaxes(m.wholesale)),
      ]),
      status: isLast ? 'Unmarked' : 'Cleared',
    },
  ]
}

function oneOffs(): Entry[] {
  return [
    entry('2026-01-01', '', "Soldes d'ouverture", [
      cad(CHEQUING, 2_184_530),
      cad('actifs:banque:épargne à intérêt élevé', 1_500_000),
      cad("actifs:encaisse:petite caisse de l'atelier", 20_000),
      cad('actifs:stocks:emballages', 86_240),
      cad("actifs:frais payés d'avance:assurances", 144_000),
      cad("actifs:immobilisations:matériel d'emballage", 465_000),
      cad('actifs:immobilisations:site web', 980_000),
      cad('actifs:immobilisations:amortissement cumulé', -289_000),
      cad('passifs:prêt de démarrage', -2_000_000),
      cad('capitaux:mise de fonds', -1_000_000),
      cad('capitaux:bénéfices non répartis', -2_090_770),
    ]),
    entry('2026-01-12', '', 'Achat de dollars américains', [
      { ...usd(DOLLARS, 200_000), cost: { kind: 'UnitPrice', amount: { commodity: 'CAD', mantissa: 13_715, places: 4 } } },
      cad(CHEQUING, -274_300),
    ]),
    entry('2026-02-16', '', "Nuagerie Inc. | hébergement de l'année", [
      { ...cad('dépenses:logiciels', 49_315), comment: 'type: abonnement\n' },
      { ...usd(DOLLARS, -36_000), cost: { kind: 'TotalPrice', amount: { commodity: 'CAD', mantissa: -49_315, places: 2 } } },
    ]),
    entry('2026-03-10', '', 'Vente à New York, sans prix de conversion', [
      usd(DOLLARS, 25_000),
      usd('capitaux:conversion', -25_000),
      cad('capitaux:conversion', 34_190),
      cad('revenus:gros', -34_190),
    ]),
    entry('2026-03-31', '', 'Prêt de démarrage | versement', [
      cad('passifs:prêt de démarrage', 50_000),
      cad('dépenses:intérêts', 11_640),
      cad(CHEQUING, -61_640),
    ]),
    entry('2026-04-15', '', 'Receveur général | retenues', [cad(DEDUCTIONS, 329_610), cad(CHEQUING, -329_610)]),
    entry('2026-04-22', '', 'Hydro-Laurentides | électricité', [
      cad('dépenses:électricité', 23_815),
      ...recover(23_815),
      cad(CHEQUING, -withTaxes(23_815)),
      { ...cad("budget:salon des métiers d'art", -15_000), isVirtual: true },
    ]),
    entry('2026-05-31', 'AJ-1', 'Amortissement et assurances', [
      cad('dépenses:amortissement', 60_000),
      cad('actifs:immobilisations:amortissement cumulé', -60_000),
      cad('dépenses:assurances', 60_000),
      cad("actifs:frais payés d'avance:assurances", -60_000),
    ]),
    entry('2026-05-31', 'AJ-2', 'Coût des céramiques vendues', [
      cad('dépenses:coût des ventes:céramiques', 874_335),
      cad('actifs:stocks:céramiques', -874_335),
    ]),
    entry('2026-05-31', '', 'Prélèvement de Noémie', [cad('capitaux:prélèvements de Noémie', 180_000), cad(CHEQUING, -180_000)]),
  ]
}

function entry(date: string, code: string, description: string, postings: Posting[]): Entry {
  return { date, status: 'Cleared', code, description, postings }
}

function cad(account: string, cents: number): Posting {
  return { account, amount: { commodity: 'CAD', mantissa: cents, places: 2 } }
}

function usd(account: string, cents: number): Posting {
  return { account, amount: { commodity: 'USD', mantissa: cents, places: 2 } }
}

/** Québec sales taxes: 5 % and 9.975 % of the price. */
function taxesOn(cents: number): { tps: number; tvq: number } {
  return { tps: Math.round(cents / 20), tvq: Math.round((cents * 9975) / 100_000) }
}

function withTaxes(cents: number): number {
  const { tps, tvq } = taxesOn(cents)
  return cents + tps + tvq
}

/** Recoverable taxes on purchases. */
function recover(cents: number): Posting[] {
  const { tps, tvq } = taxesOn(cents)
  return [cad('actifs:taxes à récupérer:TPS', tps), cad('actifs:taxes à récupérer:TVQ', tvq)]
}

/** Taxes charged on sales, payable. */
function collect(cents: number): Posting[] {
  const { tps, tvq } = taxesOn(cents)
  return [cad('passifs:taxes à payer:TPS', -tps), cad('passifs:taxes à payer:TVQ', -tvq)]
}
