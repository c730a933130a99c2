import type { Routine } from './routine.ts'

/** Chart of an online shop in Québec, with subcategories named by the shop's accountant; the format is in chart.ts. */
export const ERABLE_CHART = `
1000 | BILAN | H | Assets | Assets
1010 | ACTIF À COURT TERME | B | Assets | Current Assets
1020 | Encaisse – Caisse Desjardins | P | Assets | Trésorerie
1030 | Compte PayPal | P | Assets | Trésorerie
1040 | Compte Stripe en transit | P | Assets | Trésorerie
1050 | Compte en dollars américains | P | Assets | Cash
1060 | Ancien compte BNC | P | Assets | Trésorerie | blocked
1100 | Comptes clients | P | Assets | Accounts Receivable
1110 | Cartes-cadeaux à encaisser | P | Assets | Accounts Receivable
1200 | Stock – sirop d’érable | P | Assets | Inventory
1210 | Stock – emballages | P | Assets | Inventory
1300 | Frais payés d’avance | P | Assets | Prepaid Expenses
1340 | TPS/TVQ à recouvrer | P | Assets | Current Assets
1399 | Total de l’actif à court terme | E | Assets | Current Assets
1500 | Équipement d’entrepôt | P | Assets | Equipment
1510 | Matériel informatique | P | Assets | Equipment
1590 | Amortissement cumulé | P | Assets | Accumulated Depreciation
1700 | Marque de commerce | P | Assets | Actifs incorporels
2000 | PASSIF | B | Liabilities | Liabilities
2010 | Comptes fournisseurs | P | Liabilities | Current Liabilities
2020 | Mastercard Entreprise | P | Liabilities | Current Liabilities
2100 | TPS à payer | P | Liabilities | Taxes à la consommation
2110 | TVQ à payer | P | Liabilities | Taxes à la consommation
2200 | Retenues à la source | P | Liabilities | Payroll Liabilities
2300 | Cartes-cadeaux vendues | P | Liabilities | Current Liabilities
2500 | Prêt Investissement Québec | P | Liabilities | Long Term Liabilities
2999 | Total du passif | E | Liabilities | Liabilities
3000 | Capital-actions | P | Equity | Common Stock
3100 | Bénéfices non répartis | P | Equity | Retained Earnings
3200 | Dividendes | P | Equity | Distributions to Shareholders
4000 | RÉSULTATS | H | Income | Income
4010 | Ventes en ligne – Canada | P | Income | Income, Product Sales
4020 | Ventes en ligne – États-Unis | P | Income | Income, Product Sales
4030 | Abonnements « Cabane à l’année » | P | Income | Income, Services
4100 | Remises et codes promotionnels | P | Income | Sales Discounts
4200 | Livraison facturée | P | Income | Income
5000 | Achats – producteurs acéricoles | P | Cost of Goods Sold | Materials
5010 | Emballages | P | Cost of Goods Sold | Materials
5020 | Postes Canada et transporteurs | P | Cost of Goods Sold | Cost of Goods Sold
6000 | Salaires d’entrepôt | P | Expense | Salaries Expense
6010 | Charges sociales | P | Expense | Payroll Expense
6100 | Loyer – entrepôt de Lévis | P | Expense | Rent Expense
6110 | Électricité | P | Expense | Utilities Expense
6200 | Publicité Meta et Google | P | Expense | Advertising Expense
6210 | Frais Shopify | P | Expense | Logiciels et plateformes
6300 | Frais de cartes | P | Expense | Fees Expense
6310 | Intérêts sur emprunt | P | Expense | Interest Expense
6400 | Assurances | P | Expense | Insurance Expense
6500 | Amortissement | P | Expense | Expense
6600 | Gain ou perte de change | P | Expense | Other Income & Expenses
6990 | Télécopieur | P | Expense | Utilities Expense | blocked
9999 | BÉNÉFICE NET | T | Expense | Expense
`

export const ERABLE_ROUTINES: readonly Routine[] = [
  {
    document: 'FV',
    type: 'Invoice',
    text: 'Ventes du mois, boutique en ligne',
    lines: [
      { number: '1040', side: 'debit' },
      { number: '4010', side: 'credit' },
      { number: '2110', side: 'credit' },
    ],
  },
  {
    document: 'FA',
    type: 'Invoice',
    text: 'Coopérative des producteurs de sirop',
    lines: [
      { number: '2010', side: 'credit' },
      { number: '5000', side: 'debit' },
    ],
  },
  {
    document: 'PMT',
    type: 'Payment',
    text: 'Virement Stripe',
    lines: [
      { number: '1020', side: 'debit' },
      { number: '6300', side: 'debit' },
      { number: '1040', side: 'credit' },
    ],
  },
]
