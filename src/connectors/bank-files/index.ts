import type { ConnectorDescription } from '../contract/contract.ts'

/** Statement files that the owner downloads from the bank and uploads: no bank password, no contract, any bank. */
export const bankFiles: ConnectorDescription = {
  key: 'bank-files',
  name: 'Bank files',
  title: 'Bank statement files (OFX, QFX, BAI2, camt.053, MT940)',
  description: {
    'en-CA':
      'Upload the statement files that your bank lets you download: OFX, QFX, BAI2, camt.053 or MT940. ' +
      'No bank password is asked for, and files of several banks and accounts can be added to one connection.',
    'fr-CA':
      'Téléversez les relevés que votre institution financière vous permet de télécharger en format OFX, QFX, BAI2, camt.053 ou MT940. ' +
      'Aucun mot de passe bancaire n’est demandé, et vous pouvez réunir les relevés de plusieurs institutions et de plusieurs comptes.',
  },
  category: 'Banking',
  route: 'direct',
  entities: ['Accounts', 'Transactions'],
  link: 'upload',
  appKeys: [],
  hosts: {},
  refreshHours: 24,
  load: () => import('./client.ts').then((module) => module.bankFilesConnector),
}
