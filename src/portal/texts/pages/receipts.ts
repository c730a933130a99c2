import { table } from '../language/table.ts'

export const receiptTexts = table(
  {
    title: 'Receipts',
    lead: 'What the owner withdrew or had deleted. Each receipt is signed, and can be checked by anybody.',
    service: 'Service',
    kind: 'What',
    kinds: { withdrawal: 'Permission withdrawn', deletion: 'Data deleted' },
    issued: 'Issued',
    check: 'Check a receipt',
  },
  {
    title: 'Reçus',
    lead: 'Ce que le propriétaire a retiré ou fait supprimer. Chaque reçu est signé et tous peuvent le vérifier.',
    service: 'Service',
    kind: 'Objet',
    kinds: { withdrawal: 'Autorisation retirée', deletion: 'Données supprimées' },
    issued: 'Délivré',
    check: 'Vérifier un reçu',
  },
)
