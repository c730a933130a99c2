import { fdxSubject } from '../../connectors/fdx/subject.ts'

export const subject = fdxSubject('flinks-outbound', { isFlat: false, repeatedPage: 'repeatPage' })
