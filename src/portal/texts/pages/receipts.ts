import { table } from '../language/table.ts'

export const receiptTexts = table(
  {
    title: 'Receipts',
    lead: 'Consents that the owner withdrew, and data they had deleted. Each receipt is signed; anyone can verify it.',
    service: 'Service',
    kind: 'Type',
    kinds: { withdrawal: 'Consent withdrawn', deletion: 'Data deleted' },
    issued: 'Issued',
    check: 'Verify a receipt',
  },
  {
    title: 'Reçus',
    lead: 'Les consentements retirés et les données supprimées à la demande du propriétaire. Chaque reçu est signé; n’importe qui peut le vérifier.',
    service: 'Service',
    kind: 'Type',
    kinds: { withdrawal: 'Consentement retiré', deletion: 'Données supprimées' },
    issued: 'Délivré',
    check: 'Vérifier un reçu',
  },
)
