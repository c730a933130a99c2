import type { Routine } from './routine.ts'

/**
 * Chart of a physiotherapy clinic in Winnipeg, in French; the format is in chart.ts. One Type is an undocumented
 * value.
 */
export const SAINT_BONIFACE_CHART = `
090 | Caisse Groupe Financier – compte courant | BANK
091 | Épargne à intérêt élevé | BANK
092 | Compte en euros | BANK | EUR
093 | Unités de compte chiliennes | BANK | CLF
095 | Visa Desjardins | BANK | CREDITCARD
099 | Ancienne petite caisse | BANK | archived
610 | Comptes clients | CURRENT | system:DEBTORS
615 | À recevoir de la WCB du Manitoba | CURRENT
620 | Stock d’orthèses | INVENTORY
625 | Frais payés d’avance | PREPAYMENT
630 | Jetons de fidélité numériques | DIGITALASSET | about: Ouvert par un module complémentaire
710 | Tables de traitement | FIXED
711 | Amortissement cumulé – tables | FIXED | report:ASS.NCA.FIX.OWN.PLA.ACC
720 | Dépôt de garantie du bail | NONCURRENT
800 | Comptes fournisseurs | CURRLIAB | system:CREDITORS
801 | Notes de frais à payer | CURRLIAB | system:UNPAIDEXPCLM
804 | Salaires à payer | CURRLIAB | system:WAGEPAYABLES
820 | TPS et TVD | CURRLIAB | system:GST
825 | Retenues à la source | PAYG
840 | Solde historique | CURRLIAB | system:HISTORICAL
860 | Arrondissement | CURRLIAB | system:ROUNDING
877 | Transferts de suivi | CURRLIAB | system:TRACKINGTRANSFERS
900 | Prêt de la BDC | TERMLIAB
920 | Provision pour remise en état | LIABILITY
960 | Bénéfices non répartis | EQUITY | system:RETAINEDEARNINGS
970 | Apports de la propriétaire | EQUITY
980 | Prélèvements | EQUITY
200 | Honoraires – physiothérapie | REVENUE
205 | Honoraires – massothérapie | REVENUE | archived
210 | Vente d’orthèses | SALES
260 | Revenus d’intérêts | OTHERINCOME | report:REV.INV.INT
300 | Coût des orthèses vendues | DIRECTCOSTS
400 | Publicité | EXPENSE
404 | Frais bancaires | EXPENSE
416 | Amortissement | DEPRECIATN
433 | Assurances | EXPENSE
469 | Loyer | OVERHEADS
477 | Salaires | EXPENSE
489 | Téléphone et Internet | OVERHEADS
497 | Réévaluations bancaires | EXPENSE | system:BANKCURRENCYGAIN
498 | Gains de change non réalisés | EXPENSE | system:UNREALISEDCURRENCYGAIN
499 | Gains de change réalisés | EXPENSE | system:REALISEDCURRENCYGAIN
`

export const SAINT_BONIFACE_ROUTINES: readonly Routine[] = [
  {
    source: 'ACCREC',
    note: 'Séances du mois',
    lines: [
      { account: 'Comptes clients', share: 1 },
      { account: 'Honoraires – physiothérapie', share: -1 },
    ],
  },
  {
    source: 'MANJOURNAL',
    note: 'Amortissement du mois',
    lines: [
      { account: 'Amortissement', share: 1 },
      { account: 'Amortissement cumulé – tables', share: -1 },
    ],
  },
]
