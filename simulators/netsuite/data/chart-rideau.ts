import type { Routine } from './routine.ts'

/** Chart of a robot workshop in Gatineau that keeps one currency and no subsidiaries; the format is in chart.ts. */
export const RIDEAU_CHART = `
1010 | Compte d’exploitation – Desjardins | Bank
1020 | Compte de paie | Bank
1090 | Ancien compte – Banque Nationale | Bank | | inactive
1100 | Comptes clients | AcctRec | AcctRec
1150 | Fonds non déposés | OthCurrAsset | UndepFunds
1200 | Stock de pièces | OthCurrAsset | InvtAsset
1210 | Travaux en cours – cellules robotisées | OthCurrAsset
1300 | Frais payés d’avance | DeferExpense | DeferExpense
1340 | TPS/TVQ à recouvrer | OthCurrAsset
1350 | Crédits d’impôt RS&DE à recevoir | OthCurrAsset
1500 | Machines-outils | FixedAsset | | summary
1510 | > Centre d’usinage Haas | FixedAsset
1520 | > Bras KUKA de démonstration | FixedAsset
1590 | Amortissement cumulé | FixedAsset
1700 | Brevets | OthAsset
2000 | Comptes fournisseurs | AcctPay | AcctPay
2100 | Visa Desjardins | CredCard
2200 | TPS à payer | OthCurrLiab | SalesTaxPay
2210 | TVQ à payer | OthCurrLiab | Tax
2300 | Retenues à la source | OthCurrLiab | PayrollLiab
2330 | Acomptes de clients | OthCurrLiab | CustDep
2340 | Garanties à honorer | OthCurrLiab | GarPieces | about: Créé par le module de garantie
2400 | Contrats d’entretien perçus d’avance | DeferRevenue | DeferRevenue
2600 | Prêt BDC | LongTermLiab
2610 | Dû à l’actionnaire | LongTermLiab
3000 | Capital-actions | Equity
3100 | Bénéfices non répartis | Equity | RetEarnings
3200 | Solde d’ouverture | Equity | OpeningBalEquity
4000 | Ventes de cellules robotisées | Income
4010 | Entretien et pièces | Income
4900 | Rabais | Income
4950 | Intérêts gagnés | OthIncome
5000 | Coût des cellules vendues | COGS | COGS
5010 | Sous-traitance – soudure | COGS
6000 | Salaires – ingénierie | Expense | PayrollExp
6010 | Salaires – atelier | Expense | PayWage
6020 | Charges sociales | Expense
6100 | Loyer – rue Jean-Proulx | Expense
6110 | Hydro-Québec | Expense
6200 | Salons et publicité | Expense
6310 | Honoraires professionnels | Expense
6400 | Assurances | Expense
6500 | Déplacements | Expense
6600 | Amortissement | Expense
6990 | Télécopies | Expense | | inactive
7000 | Intérêts sur emprunts | OthExpense
7030 | Écarts d’arrondi | OthExpense | RndERV
7100 | Impôt sur le revenu | OthExpense
- | Bons de commande | NonPosting | PurchOrd
`

export const RIDEAU_ROUTINES: readonly Routine[] = [
  {
    type: 'CustInvc',
    prefix: 'FAC',
    memo: 'Cellule robotisée, avancement',
    entity: '211',
    subsidiary: null,
    lines: [
      { account: 'Comptes clients', side: 'debit' },
      { account: 'Ventes de cellules robotisées', side: 'credit' },
      { account: 'TVQ à payer', side: 'credit' },
    ],
  },
  {
    type: 'Journal',
    prefix: 'EJ',
    memo: 'Amortissement du mois',
    entity: null,
    subsidiary: null,
    lines: [
      { account: 'Amortissement', side: 'debit' },
      { account: 'Amortissement cumulé', side: 'credit' },
    ],
  },
]
