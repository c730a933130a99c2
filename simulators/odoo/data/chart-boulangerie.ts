import type { Routine } from './routine.ts'

/** Chart of a bakery in Montréal; the format is in chart.ts. */
export const BOULANGERIE_CHART = `
101000 | Actif à court terme | asset_current
101100 | Stock – évaluation | asset_current
101110 | Farines et levures | asset_current
101120 | Beurre et produits laitiers | asset_current
101200 | Stock intérimaire (réception) | asset_current
101300 | Stock intérimaire (livraison) | asset_current
101401 | Compte-chèques Desjardins | asset_cash | about: Folio d’exploitation, succursale du Plateau
101402 | Compte d’attente bancaire | asset_current
101403 | Encaissements en circulation | asset_current
101404 | Décaissements en circulation | asset_current
101411 | Épargne à terme | asset_cash
101412 | Compte en dollars américains | asset_cash | [USD]
101413 | Compte en euros – fournisseurs français | asset_cash | [EUR]
101414 | Fonds de placement Santiago | asset_cash | [CLF]
101415 | Moulin d’Ōsaka – dépôt | asset_cash | [JPY]
101490 | Ancien compte Caisse populaire | asset_cash | archived
101501 | Petite caisse | asset_cash | about: Fonds de caisse du comptoir
101701 | Virement de liquidités | asset_current
110100 | Points « Mie dorée » en circulation | asset_current | [Points Mie]
118100 | TPS à recouvrer | asset_current
118200 | TVQ à recouvrer | asset_current
121000 | Comptes clients | asset_receivable
121100 | Comptes clients – USD | asset_receivable | [USD]
121200 | Comptes clients (PdV) | asset_receivable
129000 | Provision pour créances douteuses | asset_current
132000 | Avances aux employés | asset_current
135000 | Dépôts de garantie à court terme | asset_current
141000 | Frais payés d’avance | asset_prepayments
141100 | Assurances payées d’avance | asset_prepayments
151000 | Fours et équipement | asset_fixed
151100 | Four à sole Bongard | asset_fixed
151200 | Améliorations locatives | asset_fixed
151300 | Camion de livraison | asset_fixed
151400 | Ordinateurs et caisses enregistreuses | asset_fixed
159000 | Amortissement cumulé | asset_fixed
161000 | Jetons numériques « Levain » | asset_tokens | about: Type ajouté par un module d’un tiers
170000 | Dépôt de loyer | asset_non_current
171000 | Achalandage | asset_non_current
201000 | Passif à court terme | liability_current
211000 | Comptes fournisseurs | liability_payable
211100 | Comptes fournisseurs – EUR | liability_payable | [EUR]
211200 | Factures à recevoir | liability_current
212000 | Produits reportés | liability_current
220000 | Visa Desjardins Affaires | liability_credit_card
220100 | Mastercard – achats en ligne | liability_credit_card | [USD]
230000 | Salaires à payer | liability_current
230100 | Retenues à la source à payer | liability_current
231000 | TPS à payer | liability_current
231100 | TVQ à payer | liability_current
232000 | Cartes-cadeaux | liability_current
233000 | Points de fidélité à honorer | liability_current
235000 | Marge de crédit | liability_current
236000 | Impôt sur le revenu à payer | liability_current
239000 | Ancien prêt – pétrin | liability_non_current | archived
240000 | Prêt BDC – four à sole | liability_non_current
241000 | Dû aux actionnaires | liability_non_current
301000 | Capital-actions | equity
302000 | Dividendes versés | equity
999999 | Bénéfices non répartis – exercices antérieurs | equity_unaffected
400000 | Ventes – pains | income
400100 | Ventes – viennoiseries | income
400200 | Ventes – restaurants et épiceries | income
400300 | Ateliers de boulangerie | income
409000 | Rabais et remises | income
441000 | Gain de change | income
445000 | Subvention d’emploi d’été | income_other
446000 | Intérêts gagnés | income_other
500000 | Coût des marchandises vendues | expense_direct_cost
501000 | Farine, beurre, sucre | expense_direct_cost
502000 | Emballages | expense_direct_cost
600000 | Dépenses | expense
610000 | Salaires de boutique | expense
611000 | Cotisations RRQ, RQAP et AE | expense
612000 | Loyer | expense
613000 | Électricité et gaz | expense
614000 | Assurances | expense
615000 | Publicité et réseaux sociaux | expense
616000 | Honoraires professionnels | expense
617000 | Frais bancaires | expense
618000 | Intérêts sur emprunts | expense
619000 | Entretien et réparations | expense
641000 | Perte de change | expense
642000 | Écart de caisse (perte) | expense_other
661000 | Amortissement | expense_depreciation
699000 | Frais de marché public | expense | archived
- | Engagements de location (hors bilan) | off_balance
`

export const BOULANGERIE_ROUTINES: readonly Routine[] = [
  {
    label: 'Paie du mois',
    kind: 'entry',
    lines: [
      { account: 'Salaires de boutique', side: 'debit' },
      { account: 'Retenues à la source à payer', side: 'credit' },
      { account: 'Compte-chèques Desjardins', side: 'credit' },
    ],
  },
  {
    label: 'Facture – Café Ébène',
    kind: 'out_invoice',
    lines: [
      { account: 'Comptes clients', side: 'debit', partner: [14, 'Café Ébène inc.'] },
      { account: 'TPS à payer', side: 'credit', partner: [14, 'Café Ébène inc.'] },
      { account: 'TVQ à payer', side: 'credit', partner: [14, 'Café Ébène inc.'] },
      { account: 'Ventes – restaurants et épiceries', side: 'credit', partner: [14, 'Café Ébène inc.'] },
    ],
  },
  {
    label: 'Facture – Minoterie des Cèdres',
    kind: 'in_invoice',
    lines: [
      { account: 'Comptes fournisseurs', side: 'credit', partner: [21, 'Minoterie des Cèdres'] },
      { account: 'TPS à recouvrer', side: 'debit', partner: [21, 'Minoterie des Cèdres'] },
      { account: 'Farine, beurre, sucre', side: 'debit', partner: [21, 'Minoterie des Cèdres'] },
    ],
  },
  {
    label: 'Amortissement mensuel des fours',
    kind: 'entry',
    lines: [
      { account: 'Amortissement', side: 'debit' },
      { account: 'Amortissement cumulé', side: 'credit' },
    ],
  },
  {
    label: 'Part du mois de l’assurance payée d’avance',
    kind: 'entry',
    lines: [
      { account: 'Assurances', side: 'debit' },
      { account: 'Assurances payées d’avance', side: 'credit' },
    ],
  },
]
