/** Splits a text with names separated by semicolons. */
function split(text: string): readonly string[] {
  return text.split(';').map((name) => name.trim())
}

/** Names that banks of the United States and Canada give their accounts, by kind. */
export const NAMES: Readonly<Record<string, readonly string[]>> = {
  'Cash/Checking': split(`
    Total Checking; Everyday Checking ...4410; Visa Debit Checking; BUSINESS COMPLETE CHKG; Advantage Plus Banking;
    Free Checking - Discover Cashback Debit; Chase Sapphire Checking; Rewards Checking; Interest Checking (x8841); Share Draft;
    Basic Business Checking Mastercard Debit; High Yield Checking; Investor Checking; MyAccess Checking; Student Chequing Advantage;
    Unlimited Chequing; No Fee Daily Chequing; Everyday Chequing Account 5501; US Dollar Chequing; AIR MILES Chequing Plan;
    Compte chèques; Compte-chèques tout compris; COMPTE CHEQUES ENTREPRISE; Compte d’opérations; Épargne avec opérations (EOP);
    Compte courant; Compte chèque en dollars américains; Chequing Savings Account; Demand Deposit; Farmers Savings Bank Checking;
    Payroll Chequing; Commercial Operating Account; Compte d’exploitation; Debit Mastercard; Carte de débit; Spending Account`),
  'Cash/Savings': split(`
    American Express High Yield Savings; Discover Online Savings; Discover Bank Online Savings Account; 360 Performance Savings;
    Amex HYSA; Way2Save Savings; Regular Shares; Prime Share; Share Account; Business Savings Visa; Goal Saver; Christmas Club;
    High Interest Savings Account; HISA; Momentum PLUS Savings; eSavings - Savings Accelerator; USD Premium Rate Savings;
    Compte épargne; ÉPARGNE À INTÉRÊT ÉLEVÉ; epargne stratégique; Compte d’épargne entreprise; Club de Noël;
    Investment Savings Account; Tax Savings; Compte à intérêt élevé; Rewards Savings; Mastercard Savings`),
  'Cash/Cd': split(`
    12 Month CD; Featured CD Special; Share Certificate 24 mo; Certificate of Deposit; Non-redeemable GIC; Cashable GIC; Term Deposit;
    CPG rachetable 1 an; Certificat de placement garanti; Dépôt à terme; Épargne à terme; Placement garanti lié aux marchés;
    Time Deposit`),
  'Cash/Mmda': split(`
    Money Market; Premier Money Market Savings; Business MMDA; Compte du marché monétaire; Visa Money Market Plus`),
  'Cash/Hsa': split('HSA; Health Savings Account; HSA Invest; Visa HSA'),
  'Cash/Fsa': split('Dependent Care FSA; Flexible Spending Account'),
  'Cash/Commuter': split('Commuter Benefits'),
  'Cash/CashManagement': split('Cash Management Account; Gestion de trésorerie'),
  'Cash/PrepaidDebitCard': split(`
    Prepaid Visa Card; Carte Mastercard prépayée; Payroll Card; Prepaid Card; Visa Gift Card; Carte prépayée Voyage`),
  'Cash/BusinessAccount': split('Business Account; Compte d’affaires; Compte entreprise; Compte commercial'),
  'Cash/OtherCash': split('Bank Account; Compte bancaire; Escrow; Petite caisse; Deposit account'),
  'Cash/PayPal': split('PayPal; PayPal balance'),
  'CreditCards/CreditCard': split(`
    Visa Rewards; Visa; MASTER CARD; Mastercard World Elite; Amex Platinum; American Express Cobalt; Discover it Cash Back;
    Sapphire Preferred (1234); Quicksilver (4410); Blue Cash Everyday (1005); Costco Anywhere Visa Card; Aventura Visa Infinite;
    CREDIT CARD; Credit Card ...9910; Secured Credit Card; Savings Secured Credit Card; Carte de crédit; Carte crédit Visa Or;
    AIR MILES World Mastercard; Aéroplan Visa Infinite; Double Cash Card; PayPal Cashback Mastercard; Travel Rewards Visa Signature;
    Remises World Mastercard; Visa Odyssée; Miles & More World Elite Mastercard`),
  'CreditCards/BusinessCard': split(`
    Business Card; Business Credit Card; Visa Infinite Affaires 7712; Small Business Visa; Ink Business Cash; Carte d’affaires;
    Carte de crédit entreprise; Amex Business Platinum Card; Business Platinum Card; Corporate Card; Mastercard Affaires;
    Purchasing Card`),
  'CreditCards/ChargeCard': split('Charge Card'),
  'CreditCards/StoreCard': split('Store Card; Carte magasin'),
  'CreditCards/OtherCard': split('Titanium Card; Ma carte'),
  'CreditCards/PayPalCard': split('PayPal Credit'),
  'CreditCards/RewardPoints': split(`
    Aeroplan Points; AIR MILES; PC Optimum points; Rewards; My Rewards; Points Aéroplan; Récompenses`),
  'Loans/LineOfCredit': split(`
    Line of Credit; Personal Line of Credit; Unsecured LOC; Student Line of Credit; Business Line; Credit Line; Visa Line of Credit;
    Marge de crédit; MARGE DE CREDIT PERSONNELLE; Marge Atout; Marge d’exploitation; Ligne de crédit; Operating Line of Credit;
    Marge étudiante; Checking Line of Credit`),
  'Loans/Heloc': split(`
    HELOC; Home Equity Line; Home Equity Line of Credit; Marge hypothécaire; Marge de crédit hypothécaire; Home Equity; HELOC Visa`),
  'Loans/HomeEquityLoan': split('Home Equity Loan; Home Equity Installment Loan'),
  'Loans/Overdraft': split('Overdraft Line of Credit; Overdraft Protection; Ligne de découvert; Overdraft Loan'),
  'Loans/Mortgage': split(`
    Mortgage; 30 Year Fixed Mortgage; MTG 0011; Hypothèque; Prêt hypothécaire; Commercial Mortgage; Hypothèque 5 ans taux fixe;
    Mortgage Loan`),
  'Loans/HomeLoan': split('Home Loan; Prêt immobilier; Prêt habitation'),
  'Loans/AutoLoan': split(`
    Auto Loan; New Auto; Truck Loan; Prêt auto; Financement automobile; Prêt véhicule; Car Loan 36`),
  'Loans/StudentLoan': split('Student Loan; Prêt étudiant; Prêts étudiants; Education Loan'),
  'Loans/BusinessLoan': split(`
    Business Loan; Small Business Term Loan; SBA 7a Loan; PPP Loan; CEBA Loan; Prêt CUEC; Prêt aux entreprises; Prêt PME`),
  'Loans/CommercialLoan': split('Commercial Loan; Commercial Term Loan; Prêt commercial'),
  'Loans/ConstructionLoan': split('Construction Loan; Prêt de construction'),
  'Loans/PersonalLoan': split('Personal Loan; Signature Loan; Prêt personnel; Discover Personal Loan; Amex Personal Loan'),
  'Loans/ConsumerLoan': split('Consumer Loan; Prêt à la consommation'),
  'Loans/Installment': split('Installment; Instalment Loan'),
  'Loans/OtherLoan': split(`
    Loan; Prêt; RRSP Loan; Prêt REER; 401(k) loan; CD-Secured Loan; Savings Secured Loan; Share Secured Loan; Term Loan; Prêt à terme;
    Equipment Financing; Financement Accord D; Emprunt`),
  'Investments/RegisteredPlan': split(`
    TFSA; CELI; Tax-Free Savings Account; TFSA Savings; CELI Épargne à intérêt élevé; RRSP; REER collectif; Spousal RSP; FHSA; CELIAPP;
    First Home Savings Account; Compte d’épargne libre d’impôt pour l’achat d’une première propriété; RRIF; FERR; RESP Family Plan;
    REEE; Registered Retirement Savings Plan; Régime enregistré d’épargne-retraite; LIRA; CRI; FRV; REEI; TFSA GIC; CPG REER;
    Registered Education Savings Plan; Locked-in Retirement Account; Fonds enregistré de revenu de retraite; VISA TFSA`),
  'Investments/Retirement': split(`
    Solo 401(k); Roth IRA; Traditional IRA CD; SEP IRA; 403(b); Retirement Account; IRA Savings; Rollover IRA`),
  'Investments/EducationSavings': split('529 College Plan; Coverdell ESA; College Savings'),
  'Investments/Brokerage': split(`
    Brokerage; Individual Brokerage Account; Compte de courtage; Margin; Compte sur marge; Self-Directed Investing; Courtage autogéré`),
  'Investments/MutualFund': split('Mutual Funds; Fonds communs de placement; Money Market Fund'),
  'Investments/EmployeeStockPlan': split('ESPP; Employee Stock Purchase Plan'),
  'Investments/Pension': split('Pension Plan; Fonds de pension'),
  'Investments/DigitalAsset': split('Crypto; Bitcoin wallet'),
  'Investments/Annuity': split('Fixed Annuity'),
  'Investments/OtherInvestment': split('Non-registered Investment; Placements; Savings Bonds; Investment Account; Portefeuille'),
  'Insurance/LifeInsurance': split('Whole Life; Assurance vie'),
  'Insurance/OtherInsurance': split('Insurance'),
}

/** Names without a kind, or with two. */
export const IN_DOUBT: readonly string[] = [
  '',
  ...split(`
    Zeta; 4410; Main; Compte; Account 4410; Joint; Scotia Momentum; Chase; Caisse du Lac; First Federal Savings Bank; Payroll;
    Cash Rewards; Travel Rewards Signature; Nine Miles Studio; Trust; Credit Card Payments Checking; Loan Reserve Savings;
    Mortgage & Savings; Chequing with line of credit; Chèques et marge de crédit; Épargne et prêt; Private Banking; Taxes; Money;
    Credit Union`),
]
