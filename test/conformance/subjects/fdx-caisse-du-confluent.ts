import { fdxSubject } from '../../connectors/fdx/subject.ts'

export const subject = fdxSubject('fdx-caisse-du-confluent', { isFlat: true, repeatedPage: 'repeatPage' })
