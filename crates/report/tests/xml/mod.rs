//! A strict reader of the small part of XML that pictures use: enough to refuse anything malformed.

/// An element with its attributes and the text directly inside it.
#[derive(Debug, Clone)]
pub(crate) struct Element {
    pub(crate) name: String,
    pub(crate) attributes: Vec<(String, String)>,
    pub(crate) text: String,
}

impl Element {
    /// A required attribute.
    pub(crate) fn get(&self, name: &str) -> &str {
        let found = self.attributes.iter().find(|(key, _)| key == name);
        &found.unwrap_or_else(|| panic!("<{}> lacks {name}", self.name)).1
    }

    /// A required attribute that is a number.
    pub(crate) fn number(&self, name: &str) -> f64 {
        self.get(name).parse().unwrap_or_else(|_| panic!("{name}={} is no number", self.get(name)))
    }
}

/// All elements in document order; an error for anything that is not well formed.
pub(crate) fn elements(document: &str) -> Result<Vec<Element>, String> {
    let (mut found, mut open): (Vec<Element>, Vec<usize>) = (Vec::new(), Vec::new());
    let mut rest = document;
    while let Some(at) = rest.find('<') {
        let inside = unescape(&rest[..at])?;
        match open.last() {
            Some(element) => found[*element].text.push_str(&inside),
            None if inside.trim().is_empty() => {}
            None => return Err(format!("text outside the root: {inside:?}")),
        }
        let end = rest.find('>').ok_or("a tag without an end")?;
        let tag = &rest[at + 1..end];
        rest = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            let last = open.pop().ok_or("an end tag too many")?;
            if found[last].name != name {
                return Err(format!("</{name}> closes <{}>", found[last].name));
            }
            continue;
        }
        if open.is_empty() && !found.is_empty() {
            return Err("two roots".to_owned());
        }
        let (tag, closed) = tag.strip_suffix('/').map_or((tag, false), |tag| (tag, true));
        found.push(element(tag)?);
        if !closed {
            open.push(found.len() - 1);
        }
    }
    if !open.is_empty() || !rest.trim().is_empty() {
        return Err("elements left open".to_owned());
    }
    Ok(found)
}

fn element(tag: &str) -> Result<Element, String> {
    let (name, mut rest) = tag.split_once(' ').unwrap_or((tag, ""));
    let mut attributes: Vec<(String, String)> = Vec::new();
    while !rest.trim().is_empty() {
        let (key, after) = rest.split_once("=\"").ok_or_else(|| format!("no attribute: {rest:?}"))?;
        let (value, after) = after.split_once('"').ok_or_else(|| format!("no closing quote: {after:?}"))?;
        let key = key.trim().to_owned();
        if attributes.iter().any(|(other, _)| *other == key) {
            return Err(format!("attribute {key} twice"));
        }
        attributes.push((key, unescape(value)?));
        rest = after;
    }
    if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric()) {
        return Err(format!("no element name: {name:?}"));
    }
    Ok(Element { name: name.to_owned(), attributes, text: String::new() })
}

fn unescape(text: &str) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        let (entity, after) = rest[at + 1..].split_once(';').ok_or("a bare &")?;
        out.push(match entity {
            "amp" => '&',
            "lt" => '<',
            "gt" => '>',
            "quot" => '"',
            "#39" => '\'',
            other => return Err(format!("entity &{other};")),
        });
        rest = after;
    }
    out.push_str(rest);
    if out.chars().any(|c| c.is_control() && c != '\n') {
        return Err("a control character".to_owned());
    }
    Ok(out)
}
