import type { Routine } from './routine.ts'

/** Chart of a bakery in Québec City; the format is in chart.ts. */
export const BOULANGERIE_CHART = `
1010 | Petite caisse du comptoir | BANK | class: PETTY_CASH
1020 | Compte d’exploitation – Caisse de Limoilou | BANK | class: CHEQUING_ACCOUNT
1021 | Compte de paie | BANK | class: CHEQUING_ACCOUNT
1030 | Épargne à terme | BANK | class: SAVINGS_ACCOUNT
1040 | Compte en dollars américains | BANK | class: CHEQUING_ACCOUNT
1050 | Compte en euros – farines de France | BANK | class: CHEQUING_ACCOUNT
1060 | Portefeuille de cryptomonnaie | CRYPTO_ASSETS | group: ASSET
1090 | Ancien compte de la Banque Nationale | BANK | out
1100 | Comptes clients | CURRENT_ASSETS | control: TRADE_DEBTORS
1110 | Provision pour créances douteuses | CURRENT_ASSETS
1120 | Avances aux employés | CURRENT_ASSETS
1150 | TPS à recouvrer | CURRENT_ASSETS | control: GST_ON_PURCHASES
1160 | TVQ à recouvrer | CURRENT_ASSETS | control: QST_ON_PURCHASES
1200 | Stocks de farine et de beurre | CURRENT_ASSETS | class: INVENTORY
1210 | Stocks d’emballages | CURRENT_ASSETS | class: INVENTORY
1300 | Frais payés d’avance | CURRENT_ASSETS | class: PREPAYMENTS
1310 | Fonds non déposés | CURRENT_ASSETS
1390 | Compte d’attente | CURRENT_ASSETS | control: SUSPENSE
1500 | Fours à sole | FIXED_ASSETS
1501 | Amortissement cumulé – fours | FIXED_ASSETS
1510 | Pétrins et laminoirs | FIXED_ASSETS
1520 | Camion de livraison réfrigéré | FIXED_ASSETS
1521 | Amortissement cumulé – camion | FIXED_ASSETS
1530 | Améliorations locatives, rue Saint-Jean | FIXED_ASSETS
1540 | Caisses enregistreuses | FIXED_ASSETS
1590 | Diviseuse (vendue en 2023) | FIXED_ASSETS | out
1700 | Dépôt de loyer | FUTURE_ASSETS
1710 | Achalandage | FUTURE_ASSETS
1720 | Parts sociales – Caisse de Limoilou | FUTURE_ASSETS
2000 | Comptes fournisseurs | CURRENT_LIABILITY | control: TRADE_CREDITORS
2050 | Visa Affaires | LINE_OF_CREDIT | class: CREDIT_CARD
2060 | Marge de crédit d’exploitation | LINE_OF_CREDIT
2100 | TPS à payer | CURRENT_LIABILITY | control: GST_ON_SALES
2110 | TVQ à payer | CURRENT_LIABILITY | control: QST_ON_SALES
2120 | Impôt sur le revenu à payer | CURRENT_LIABILITY | control: INCOME_TAX
2200 | Salaires à payer | CURRENT_LIABILITY | control: WAGES_CONTROL
2210 | Retenues à la source – RRQ, RQAP, AE | CURRENT_LIABILITY | class: PAYROLL_LIABILITIES
2220 | CNESST à payer | CURRENT_LIABILITY
2300 | Cartes-cadeaux | CURRENT_LIABILITY
2310 | Points de fidélité « Croûte dorée » | CURRENT_LIABILITY | control: LOYALTY_POINTS
2320 | Charges à payer | CURRENT_LIABILITY
2390 | Consignes de contenants | CURRENT_LIABILITY | out
2500 | Prêt BDC – fours | FUTURE_LIABILITY
2510 | Obligation locative – camion | FUTURE_LIABILITY
2520 | Dû à l’actionnaire | FUTURE_LIABILITY
3000 | Capital-actions | EQUITY | class: SHARE_CAPITAL
3100 | Bénéfices non répartis | EQUITY | control: RETAINED_EARNINGS
3200 | Soldes d’ouverture | EQUITY | control: OPENING_BALANCES
3300 | Dividendes versés | EQUITY | class: DIVIDENDS
4000 | Ventes – pains au levain | SALES
4010 | Ventes – viennoiseries | SALES
4020 | Ventes – pâtisseries | SALES
4030 | Ventes – restaurants et épiceries | SALES
4040 | Traiteur – boîtes à lunch | SALES
4090 | Rabais et remises | SALES
4099 | Ventes – kiosque de l’Expo (terminé) | SALES | out
4500 | Intérêts gagnés | OTHER_INCOME
4510 | Subvention – emploi d’été | OTHER_INCOME
4520 | Gain sur change | OTHER_INCOME | control: EXCHANGE_GAINS
5000 | Farines | DIRECT_EXPENSES
5010 | Beurre et produits laitiers | DIRECT_EXPENSES
5020 | Œufs | DIRECT_EXPENSES
5030 | Emballages | DIRECT_EXPENSES
5040 | Main-d’œuvre directe | DIRECT_EXPENSES
5050 | Livraison | DIRECT_EXPENSES
6000 | Salaires – boutique | OVERHEADS
6010 | Cotisations de l’employeur | OVERHEADS
6100 | Loyer | OVERHEADS
6110 | Électricité – Hydro-Québec | OVERHEADS
6120 | Gaz naturel | OVERHEADS
6130 | Assurances | OVERHEADS
6140 | Publicité et réseaux sociaux | OVERHEADS
6150 | Honoraires professionnels | OVERHEADS
6160 | Frais bancaires | OVERHEADS | control: BANK_CHARGES
6170 | Intérêts sur la dette à long terme | OVERHEADS
6180 | Entretien et réparations | OVERHEADS
6190 | Repas d’affaires | OVERHEADS
6200 | Créances irrécouvrables | OVERHEADS | control: BAD_DEBTS
6210 | Perte sur change | OVERHEADS | control: EXCHANGE_LOSSES
6220 | Taxes municipales et permis | OVERHEADS
6230 | Logiciels | OVERHEADS
6290 | Frais du marché du Vieux-Port | OVERHEADS | hidden
6500 | Amortissement – équipement | DEPRECIATION
6510 | Amortissement – camion | DEPRECIATION
9999 | Écarts d’arrondi | ROUNDING | group: MEMO
`

/** Monthly entries of the bakery's bookkeeper, by account codes. */
export const BOULANGERIE_ROUTINES: readonly Routine[] = [
  {
    note: 'Paie du mois',
    lines: [
      [6000, 'debit'],
      [5040, 'debit'],
      [2210, 'credit'],
      [1021, 'credit'],
    ],
  },
  {
    note: 'Cotisations de l’employeur',
    lines: [
      [6010, 'debit'],
      [2210, 'credit'],
      [2220, 'credit'],
    ],
  },
  {
    note: 'Amortissement mensuel',
    lines: [
      [6500, 'debit'],
      [6510, 'debit'],
      [1501, 'credit'],
      [1521, 'credit'],
    ],
  },
  {
    note: 'Intérêts – prêt BDC',
    lines: [
      [6170, 'debit'],
      [1020, 'credit'],
    ],
  },
  {
    note: 'Assurances : part du mois',
    lines: [
      [6130, 'debit'],
      [1300, 'credit'],
    ],
  },
  {
    note: 'Cartes-cadeaux utilisées',
    lines: [
      [2300, 'debit'],
      [4010, 'credit'],
    ],
  },
]
