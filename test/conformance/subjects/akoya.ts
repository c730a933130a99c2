import { fdxSubject } from '../../connectors/fdx/subject.ts'

export const subject = fdxSubject('akoya', { isFlat: false, repeatedPage: 'repeatPage' })
