import type { Routine } from './routine.ts'

/** Chart of a bakery in Montréal; the format is in chart.ts. */
export const BOULANGERIE_CHART = `
1010 | Petite caisse | Bank | CashOnHand | about: Fonds de caisse du comptoir
1020 | Compte-chèques Desjardins | Bank | Checking | about: Folio d’exploitation, succursale du Plateau
1021 | > Volet paie | Bank | Checking
1022 | > Volet taxes | Bank | Checking
1030 | Épargne à terme | Bank | Savings
1040 | Compte en dollars américains | Bank | Checking | USD
1050 | Compte en euros – fournisseurs français | Bank | Checking | EUR
1055 | Fonds de placement Santiago | Bank | CashAndCashEquivalents | CLF
1060 | Marché monétaire | Bank | MoneyMarket
1090 | Ancien compte Caisse populaire | Bank | Checking | inactive
1100 | Comptes clients | Accounts Receivable | AccountsReceivable
1110 | Comptes clients – USD | Accounts Receivable | AccountsReceivable | USD
1190 | Provision pour créances douteuses | Other Current Asset | AllowanceForBadDebts
1200 | Stocks de farine et de beurre | Other Current Asset | Inventory
1210 | > Farines biologiques | Other Current Asset | Inventory
1220 | > Beurre et produits laitiers | Other Current Asset | Inventory
1300 | Frais payés d’avance | Other Current Asset | PrepaidExpenses
1310 | Fonds non déposés | Other Current Asset | UndepositedFunds
1320 | Avances aux employés | Other Current Asset | EmployeeCashAdvances
1330 | Prêt à un actionnaire | Other Current Asset | LoansToStockholders
1340 | TPS/TVQ à recouvrer | Other Current Asset | GlobalTaxRefund
1350 | Dépôts de garantie à court terme | Other Current Asset | OtherCurrentAssets
1500 | Fours et équipement | Fixed Asset | MachineryAndEquipment
1510 | > Four à sole Bongard | Fixed Asset | MachineryAndEquipment
1520 | > Pétrins | Fixed Asset | MachineryAndEquipment
1530 | Améliorations locatives | Fixed Asset | LeaseholdImprovements
1540 | Camion de livraison | Fixed Asset | Vehicles
1550 | Ordinateurs et caisses enregistreuses | Fixed Asset | FixedAssetComputers
1560 | Mobilier du café | Fixed Asset | FurnitureAndFixtures
1590 | Amortissement cumulé – équipement | Fixed Asset | AccumulatedDepreciation
1591 | Amortissement cumulé – améliorations | Fixed Asset | AccumulatedAmortization
1700 | Dépôt de loyer | Other Asset | SecurityDeposits
1710 | Achalandage | Other Asset | Goodwill
1720 | Licences et permis | Other Asset | Licenses
2000 | Comptes fournisseurs | Accounts Payable | AccountsPayable
2010 | Comptes fournisseurs – EUR | Accounts Payable | AccountsPayable | EUR
2100 | Visa Desjardins Affaires | Credit Card | CreditCard
2110 | Mastercard – achats en ligne | Credit Card | CreditCard | fresh
2200 | TPS à payer | Other Current Liability | GlobalTaxPayable
2210 | TVQ à payer | Other Current Liability | GlobalTaxPayable
2220 | Compte d’attente TPS/TVQ | Other Current Liability | GlobalTaxSuspense
2300 | Retenues à la source à payer | Other Current Liability | PayrollTaxPayable
2310 | Salaires en transit | Other Current Liability | PayrollClearing
2320 | Cartes-cadeaux | Other Current Liability | DeferredRevenue
2330 | Points de fidélité « Mie dorée » | Other Current Liability | LoyaltyPointsPayable | about: Ouvert par le module de fidélité
2340 | Charges à payer | Other Current Liability | AccruedLiabilities
2350 | Marge de crédit | Other Current Liability | LineOfCredit
2360 | Impôt sur le revenu à payer | Other Current Liability | IncomeTaxPayable
2400 | Prêt BDC – four à sole | Long Term Liability | NotesPayable
2410 | Obligation locative – camion | Long Term Liability | ObligationsUnderFinanceLeases
2420 | Dû aux actionnaires | Long Term Liability | ShareholderNotesPayable
3000 | Capital-actions | Equity | CommonStock
3100 | Bénéfices non répartis | Equity | RetainedEarnings
3200 | Solde d’ouverture | Equity | OpeningBalanceEquity
3300 | Dividendes versés | Equity | DividendDisbursed
4000 | Ventes – pains | Income | SalesOfProductIncome
4010 | > Baguettes | Income | SalesOfProductIncome
4020 | > Miches au levain | Income | SalesOfProductIncome
4100 | Ventes – viennoiseries | Income | SalesRetail
4200 | Ventes – restaurants et épiceries | Income | SalesWholesale
4300 | Ateliers de boulangerie | Income | ServiceFeeIncome
4900 | Rabais et remises | Income | DiscountsRefundsGiven
4950 | Intérêts gagnés | Other Income | InterestEarned
4960 | Subvention d’emploi d’été | Other Income | OtherMiscellaneousIncome
5000 | Matières premières | Cost of Goods Sold | SuppliesMaterialsCogs
5010 | Main-d’œuvre directe | Cost of Goods Sold | CostOfLaborCos
5020 | Emballages | Cost of Goods Sold | OtherCostsOfServiceCos
5030 | Livraison aux restaurants | Cost of Goods Sold | ShippingFreightDeliveryCos
6000 | Salaires de boutique | Expense | PayrollExpenses
6010 | Cotisations RRQ, RQAP et AE | Expense | PayrollTaxExpenses
6100 | Loyer | Expense | RentOrLeaseOfBuildings
6110 | Électricité et gaz | Expense | Utilities
6120 | Assurances | Expense | Insurance
6130 | Publicité et réseaux sociaux | Expense | AdvertisingPromotional
6140 | Honoraires professionnels | Expense | LegalProfessionalFees
6150 | Frais bancaires | Expense | BankCharges
6160 | Intérêts sur emprunts | Expense | InterestPaid
6170 | Entretien et réparations | Expense | RepairMaintenance
6180 | Déplacements | Expense | Travel
6190 | Repas d’affaires | Expense | EntertainmentMeals
6200 | Créances douteuses | Expense | BadDebts
6210 | Fournitures de bureau | Expense | OfficeGeneralAdministrativeExpenses
6990 | Frais de marché public | Expense | OtherMiscellaneousServiceCost | inactive
7000 | Amortissement | Other Expense | Depreciation
7010 | Gain ou perte de change | Other Expense | ExchangeGainOrLoss
7020 | Pénalités et règlements | Other Expense | PenaltiesSettlements
`

export const BOULANGERIE_ROUTINES: readonly Routine[] = [
  {
    note: 'Amortissement mensuel des fours',
    lines: [
      { account: 'Amortissement', side: 'Debit' },
      { account: 'Amortissement cumulé – équipement', side: 'Credit' },
    ],
  },
  {
    note: 'Paie du mois',
    lines: [
      { account: 'Salaires de boutique', side: 'Debit' },
      { account: 'Retenues à la source à payer', side: 'Credit' },
      { account: 'Volet paie', side: 'Credit' },
    ],
  },
  {
    note: 'Part du mois de l’assurance payée d’avance',
    lines: [
      { account: 'Assurances', side: 'Debit' },
      { account: 'Frais payés d’avance', side: 'Credit' },
    ],
  },
  {
    note: 'Intérêts courus sur le prêt BDC',
    lines: [
      { account: 'Intérêts sur emprunts', side: 'Debit' },
      { account: 'Charges à payer', side: 'Credit', entity: { type: 'Vendor', id: '41', name: 'Banque de développement du Canada' } },
    ],
  },
  {
    note: 'Rachat de points de fidélité',
    lines: [
      { account: 'Points de fidélité « Mie dorée »', side: 'Debit', entity: { type: 'Customer', id: '7', name: 'Clients du comptoir' } },
      { account: 'Baguettes', side: 'Credit' },
      { account: 'Ventes – viennoiseries', side: 'Credit' },
    ],
  },
]
