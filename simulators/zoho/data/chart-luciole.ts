import type { Routine } from './routine.ts'

/** Chart of a small manufacturer that sells online, in French and mostly without codes; the format is in chart.ts. */
export const LUCIOLE_CHART = `
- | Petite caisse | cash | system
- | Fonds non déposés | cash | system
512000 | Crédit coopératif | bank
512100 | Qonto | bank
512900 | Ancien compte La Poste | bank | inactive
411000 | Clients | accounts_receivable | system
- | Stock de matières | stock
- | Stock de produits finis | stock
- | Charges constatées d’avance | other_current_asset
- | TVA déductible | other_current_asset
- | Avances au personnel | other_current_asset | system
- | Four à céramique | fixed_asset
- | > Amortissement cumulé du four | fixed_asset
- | Logiciel de boutique | intangible_asset
- | Dépôt de garantie | other_asset
401000 | Fournisseurs | accounts_payable | system
- | Carte bleue de l’atelier | credit_card
- | TVA à payer | other_current_liability | system
- | Salaires à payer | employee_benefit_liability
- | Cartes-cadeaux | contract_liability
- | Produits constatés d’avance | other_current_liability | system
- | Prêt d’honneur | loans_and_borrowing
- | Crédit-bail du four | lease_liability
- | Provisions | other_liability
- | Capitaux propres | equity | system
- | Prélèvements | equity | system
- | Bénéfices non répartis | equity | system
- | Solde d’ouverture | equity | system
707000 | Ventes en ligne | income | system
- | Ventes sur les marchés | income
- | Frais de port facturés | income | system
- | Remises | income | system
- | Produits financiers | finance_income
- | Coût des ventes | cost_of_goods_sold | system
- | Argile et émaux | manufacturing_expense
- | Salaires et charges | employee_benefit_expense | system
- | Loyer de l’atelier | lease_expense
- | Publicité | expense
- | Frais de plateforme – Ankorstore | expense
- | Déplacements | expense | system
- | Stand de Noël | expense | inactive
- | Amortissements | depreciation_expense | system
- | Frais bancaires | finance_expense | system
- | Écarts de change | other_expense | system
`

export const LUCIOLE_ROUTINES: readonly Routine[] = [
  {
    note: 'Amortissement du mois',
    lines: [
      { account: 'Amortissements', share: 1 },
      { account: 'Amortissement cumulé du four', share: -1 },
    ],
  },
  {
    note: 'Salaires du mois',
    lines: [
      { account: 'Salaires et charges', share: 1 },
      { account: 'Salaires à payer', share: -0.6 },
      { account: 'Crédit coopératif', share: -0.4 },
    ],
  },
]
