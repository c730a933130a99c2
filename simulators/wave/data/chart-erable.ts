/** Chart of an online shop in Québec City; the format is in chart.ts. */
export const ERABLE_CHART = `
1000 | Compte-chèques Desjardins | ASSET | CASH_AND_BANK | about: Folio principal, succursale Saint-Roch
1005 | Épargne « projets » | ASSET | CASH_AND_BANK
1010 | Compte en dollars américains | ASSET | CASH_AND_BANK | USD
1015 | Compte en euros | ASSET | CASH_AND_BANK | EUR
1020 | Compte du Pacifique – fournisseur de Nouméa | ASSET | CASH_AND_BANK | XPF
1025 | Petite caisse de l’atelier | ASSET | CASH_AND_BANK
1030 | Ancien compte Caisse du Faubourg | ASSET | CASH_AND_BANK | archived
1040 | Versements Stripe en route | ASSET | MONEY_IN_TRANSIT
1041 | Versements PayPal en route | ASSET | MONEY_IN_TRANSIT | USD
1100 | Comptes clients | ASSET | RECEIVABLE_INVOICES
1110 | Avances à recevoir | ASSET | RECEIVABLE_OTHER
1120 | Subvention à recevoir | ASSET | RECEIVABLE
1200 | Stock – linge de maison | ASSET | INVENTORY
1210 | Stock – sirop et produits d’érable | ASSET | INVENTORY
1220 | Stock – emballages | ASSET | INVENTORY
1300 | Acomptes versés aux fournisseurs | ASSET | VENDOR_PREPAYMENTS_AND_CREDITS
1310 | Assurances payées d’avance | ASSET | OTHER_CURRENT_ASSETS
1320 | TPS et TVQ à recouvrer | ASSET | OTHER_CURRENT_ASSETS
1500 | Métiers à tisser | ASSET | PROPERTY_PLANT_EQUIPMENT
1510 | Ordinateurs et appareils photo | ASSET | PROPERTY_PLANT_EQUIPMENT
1520 | Fourgonnette (vendue en 2024) | ASSET | PROPERTY_PLANT_EQUIPMENT | archived
1590 | Amortissement cumulé | ASSET | DEPRECIATION_AND_AMORTIZATION
1700 | Dépôt de garantie de l’entrepôt | ASSET | OTHER_LONG_TERM_ASSETS
1710 | Nom de domaine et marque | ASSET | OTHER_LONG_TERM_ASSETS
1800 | Jetons de fidélité en chaîne | ASSET | DIGITAL_TOKENS | about: Module à l’essai
2000 | Comptes fournisseurs | LIABILITY | PAYABLE_BILLS
2010 | Charges à payer | LIABILITY | PAYABLE_OTHER
2020 | Effets à payer | LIABILITY | PAYABLE
2100 | Visa Desjardins | LIABILITY | CREDIT_CARD
2110 | Amex – publicité en ligne | LIABILITY | CREDIT_CARD | USD
2200 | TPS | LIABILITY | SALES_TAX
2210 | TVQ | LIABILITY | SALES_TAX
2220 | TVH (Ontario) | LIABILITY | SALES_TAX | archived
2300 | Retenues à la source | LIABILITY | DUE_FOR_PAYROLL
2310 | Salaires à verser | LIABILITY | DUE_FOR_PAYROLL
2400 | Acomptes reçus des clients | LIABILITY | CUSTOMER_PREPAYMENTS_AND_CREDITS
2410 | Crédits clients | LIABILITY | SYSTEM_CUSTOMER_CREDITS
2420 | Cartes-cadeaux | LIABILITY | OTHER_CURRENT_LIABILITY
2500 | Prêt Futurpreneur | LIABILITY | LOANS
2510 | Marge de crédit | LIABILITY | LOANS
2600 | Dû à Élodie (propriétaire) | LIABILITY | DUE_TO_YOU_AND_OTHER_OWNERS
2700 | Obligation locative – entrepôt | LIABILITY | OTHER_LONG_TERM_LIABILITY
3000 | Mise de fonds de la propriétaire | EQUITY | NON_RETAINED_EARNINGS
3010 | Retraits de la propriétaire | EQUITY | NON_RETAINED_EARNINGS
3100 | Bénéfices non répartis | EQUITY | RETAINED_EARNINGS
3900 | Virements entre comptes | EQUITY | TRANSFERS
4000 | Ventes – boutique en ligne | INCOME | INCOME
4010 | Ventes – marchés de Noël | INCOME | INCOME
4020 | Ventes en gros | INCOME | INCOME
4100 | Frais de livraison facturés | INCOME | INCOME
4190 | Rabais et codes promo | INCOME | DISCOUNTS
4200 | Intérêts reçus | INCOME | OTHER_INCOME
4210 | Gain de change | INCOME | GAIN_ON_FOREIGN_EXCHANGE
4900 | Revenus à classer | INCOME | UNCATEGORIZED_INCOME
5000 | Coût des marchandises vendues | EXPENSE | COST_OF_GOODS_SOLD
5010 | Emballages et étiquettes | EXPENSE | COST_OF_GOODS_SOLD
5020 | Livraison – Postes Canada | EXPENSE | COST_OF_GOODS_SOLD
6000 | Salaires | EXPENSE | PAYROLL_EXPENSES
6010 | Cotisations de l’employeur | EXPENSE | PAYROLL_EXPENSES
6100 | Frais Stripe | EXPENSE | PAYMENT_PROCESSING_FEES
6110 | Frais PayPal | EXPENSE | PAYMENT_PROCESSING_FEES
6200 | Loyer de l’entrepôt | EXPENSE | EXPENSE
6210 | Hébergement et logiciels | EXPENSE | EXPENSE
6220 | Publicité – Meta et Google | EXPENSE | EXPENSE
6230 | Photographe | EXPENSE | EXPENSE
6240 | Salon du tissu (annulé) | EXPENSE | EXPENSE | archived
6300 | Amortissement | EXPENSE | DEPRECIATION_AND_AMORTIZATION
6400 | Perte de change | EXPENSE | LOSS_ON_FOREIGN_EXCHANGE
6900 | Dépenses à classer | EXPENSE | UNCATEGORIZED_EXPENSE
6990 | Compte importé sans type | EXPENSE | UNKNOWN_ACCOUNT
`
