import type { Routine } from './routine.ts'

/** Chart of a shop on Saint-Pierre and Miquelon with books in euros; the format is in chart.ts. */
export const MIQUELON_CHART = `
1000 | Caisse | BANK | class: PETTY_CASH
1010 | Banque de Saint-Pierre | BANK | class: CHEQUING_ACCOUNT
1020 | Compte en dollars canadiens | BANK
1100 | Clients | CURRENT_ASSETS | control: TRADE_DEBTORS
1200 | Marchandises | CURRENT_ASSETS | class: INVENTORY
1300 | Avances aux pêcheurs | CURRENT_ASSETS
1500 | Boutique | FIXED_ASSETS
1510 | Chambre froide | FIXED_ASSETS
1590 | Doris (échoué) | FIXED_ASSETS | out
1700 | Cautions | FUTURE_ASSETS
2000 | Fournisseurs | CURRENT_LIABILITY | control: TRADE_CREDITORS
2100 | Octroi de mer | CURRENT_LIABILITY | control: CUSTOMS_DUTY
2200 | Charges sociales | CURRENT_LIABILITY | control: PAYROLL_CONTROL
2500 | Emprunt | FUTURE_LIABILITY
3000 | Capital | EQUITY | class: SHARE_CAPITAL
3100 | Report à nouveau | EQUITY | control: RETAINED_EARNINGS
4000 | Ventes de conserves | SALES
4010 | Ventes de tricots | SALES
4020 | Ventes aux croisiéristes | SALES
4500 | Autres produits | OTHER_INCOME
5000 | Achats | DIRECT_EXPENSES
5010 | Fret depuis Halifax | DIRECT_EXPENSES
6000 | Salaires | OVERHEADS
6010 | Chauffage | OVERHEADS
6020 | Assurances | OVERHEADS
6030 | Télécommunications | OVERHEADS
6500 | Dotations aux amortissements | DEPRECIATION
`

export const MIQUELON_ROUTINES: readonly Routine[] = [
  {
    note: 'Salaires',
    lines: [
      [6000, 'debit'],
      [2200, 'credit'],
      [1010, 'credit'],
    ],
  },
  {
    note: 'Dotation',
    lines: [
      [6500, 'debit'],
      [1510, 'credit'],
    ],
  },
]
