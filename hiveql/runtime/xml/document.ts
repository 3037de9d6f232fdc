/** XML documents as the DOM tree of Java's XPath: without namespaces, and with attributes sorted by name. */
import { SaxesParser } from "saxes";

/** Node types, with DOM's numbers. */
const kinds = { element: 1, attribute: 2, text: 3, instruction: 7, comment: 8, document: 9 } as const;

/** A node with the DOM properties that the XPath library reads. */
export class XmlNode {
  /** The name without its prefix; paths match this name. */
  readonly localName: string | null;
  readonly namespaceURI = null;
  ownerElement: XmlNode | null = null;
  ownerDocument: XmlNode | null = null;
  documentElement: XmlNode | null = null;
  /** For a document: true when the name of an element or attribute has a prefix. */
  hasPrefixes = false;
  /** For a document: true when a CDATA section follows something other than text. */
  hasCdata = false;
  parentNode: XmlNode | null = null;
  firstChild: XmlNode | null = null;
  lastChild: XmlNode | null = null;
  nextSibling: XmlNode | null = null;
  previousSibling: XmlNode | null = null;
  readonly attributes: XmlAttributes | null;

  /**
   * @param order the position in document order.
   * @param ownValue the value in Java's DOM: for adjacent texts and CDATA sections, which are one node here, the first.
   */
  constructor(
    readonly nodeType: number,
    readonly nodeName: string,
    public nodeValue: string | null,
    readonly order: number,
    readonly ownValue: string | null = nodeValue,
    attributes: readonly XmlNode[] = [],
  ) {
    const isNamed = nodeType === kinds.element || nodeType === kinds.attribute;
    this.localName = isNamed ? nodeName.slice(nodeName.indexOf(":") + 1) : null;
    this.attributes = nodeType === kinds.element ? new XmlAttributes(attributes) : null;
    for (const attribute of attributes) attribute.ownerElement = this;
  }

  /** Returns DOM's bits: 2 when the other node precedes this one, 4 when it follows. */
  compareDocumentPosition(other: XmlNode): number {
    return other.order === this.order ? 0 : other.order < this.order ? 2 : 4;
  }

  append(child: XmlNode): void {
    child.parentNode = this;
    child.previousSibling = this.lastChild;
    if (this.lastChild) this.lastChild.nextSibling = child;
    else this.firstChild = child;
    this.lastChild = child;
  }
}

class XmlAttributes {
  constructor(private readonly nodes: readonly XmlNode[]) {}

  get length(): number {
    return this.nodes.length;
  }

  item(index: number): XmlNode | undefined {
    return this.nodes[index];
  }
}

/**
 * Parses an XML document.
 * @throws Error for malformed XML, and for document types, which can refer to other files and entities.
 */
export function readXml(text: string): XmlNode {
  let order = 0;
  const next = () => (order += 1);
  const document = new XmlNode(kinds.document, "", null, next());
  let open = document;
  const add = (node: XmlNode) => {
    node.ownerDocument = document;
    open.append(node);
    return node;
  };
  const addText = (value: string, isCdata: boolean) => {
    const before = open.lastChild;
    if (open === document) return;
    if (before?.nodeType === kinds.text) before.nodeValue = (before.nodeValue ?? "") + value;
    else {
      document.hasCdata ||= isCdata;
      add(new XmlNode(kinds.text, "", value, next()));
    }
  };
  const parser = new SaxesParser();
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("doctype", () => {
    throw new Error("XML with a document type declaration is not supported");
  });
  parser.on("xmldecl", ({ version }) => {
    if (version !== "1.0") throw new Error("only XML 1.0 is supported");
  });
  parser.on("text", (value) => addText(value, false));
  parser.on("cdata", (value) => addText(value, true));
  parser.on("comment", (value) => add(new XmlNode(kinds.comment, "", value, next())));
  parser.on("processinginstruction", ({ target, body }) => add(new XmlNode(kinds.instruction, target, body, next())));
  parser.on("opentag", ({ name, attributes }) => {
    const place = next();
    const named = Object.entries(attributes)
      .filter(([key]) => key !== "xmlns" && !key.startsWith("xmlns:"))
      .toSorted(([left], [right]) => (left < right ? -1 : 1));
    const nodes = named.map(([key, value]) => new XmlNode(kinds.attribute, key, value, next()));
    for (const node of nodes) node.ownerDocument = document;
    document.hasPrefixes ||= [name, ...named.map(([key]) => key)].some((each) => each.includes(":"));
    const element = add(new XmlNode(kinds.element, name, null, place, null, nodes));
    if (open === document) document.documentElement = element;
    open = element;
  });
  parser.on("closetag", () => {
    open = open.parentNode ?? document;
  });
  parser.write(text).close();
  return document;
}
