package dev.kilter;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Calling the method hands a message to the network. */
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.METHOD)
public @interface Sends {
    /** The node it goes to: an expression. */
    String to();

    /** `name=expression` for each field of the message. */
    String[] message();
}
